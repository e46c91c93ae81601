/** The refusals and faults a script may ask for by name; each dialect says them in its own shape. */
export const ERROR_NAMES = [
  'rate_limited',
  'overloaded',
  'insufficient_quota',
  'loading_model',
  'maximum_pending_requests',
  'invalid_request',
  'unauthorized',
  'forbidden',
  'not_found',
  'too_large',
  'server_error',
  'bad_gateway',
  'gateway_timeout',
] as const;
export type ErrorName = (typeof ERROR_NAMES)[number];

/** A refusal as it goes on the wire. */
export interface ProviderError {
  readonly status: number;
  readonly body: unknown;
}

/** The usual HTTP status and words of each error, for dialects that have no words of their own for it. */
export const COMMON_ERRORS: Readonly<Record<ErrorName, { status: number; message: string }>> = {
  rate_limited: { status: 429, message: 'Too many requests' },
  overloaded: { status: 503, message: 'The server is busy, try again later' },
  insufficient_quota: {
    status: 429,
    message: 'You exceeded your current quota, check your plan and billing',
  },
  loading_model: { status: 503, message: 'Loading model' },
  maximum_pending_requests: {
    status: 503,
    message: 'server busy, please try again.  maximum pending requests exceeded',
  },
  invalid_request: { status: 400, message: 'The request is invalid' },
  unauthorized: { status: 401, message: 'Invalid API key' },
  forbidden: { status: 403, message: 'This key may not use this model' },
  not_found: { status: 404, message: 'The model does not exist' },
  too_large: { status: 413, message: 'The request is too large' },
  server_error: { status: 500, message: 'The server had an error' },
  bad_gateway: { status: 502, message: 'Bad gateway' },
  gateway_timeout: { status: 504, message: 'Gateway timeout' },
};

const BY_STATUS: Readonly<Record<number, ErrorName>> = {
  400: 'invalid_request',
  401: 'unauthorized',
  402: 'insufficient_quota',
  403: 'forbidden',
  404: 'not_found',
  413: 'too_large',
  422: 'invalid_request',
  429: 'rate_limited',
  502: 'bad_gateway',
  503: 'overloaded',
  504: 'gateway_timeout',
  529: 'overloaded',
};

/** What a bare status most likely means, so that a script may say `{"status": 429}` and no more. */
export function errorNameOf(status: number): ErrorName {
  return BY_STATUS[status] ?? (status < 500 ? 'invalid_request' : 'server_error');
}

/** The request itself is wrong: the dialect answers with its own error of that name. */
export class BadCallError extends Error {
  constructor(
    message: string,
    readonly errorName: ErrorName = 'invalid_request',
  ) {
    super(message);
  }
}

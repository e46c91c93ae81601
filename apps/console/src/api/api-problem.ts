import type { components } from './schema';

export type ProblemDocument = components['schemas']['ProblemDto'];

/** The API said no. `code` is its stable name, whose page is at `/docs/errors/<code>`. */
export class ApiProblem extends Error {
  readonly code: string;
  readonly title: string;
  readonly requestId: string | undefined;
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(
    readonly status: number,
    document: Partial<ProblemDocument>,
    /** From `Retry-After`; undefined where the answer carried none. */
    readonly retryAfterSeconds: number | undefined,
  ) {
    super(document.detail ?? document.title ?? `The server answered ${status}`);
    this.name = 'ApiProblem';
    this.code = document.code ?? 'internal_error';
    this.title = document.title ?? 'Something went wrong';
    this.requestId = document.request_id;
    this.facts = document;
  }
}

/** No answer of ours came back: the API is down, or the line to it is. */
export class ApiAway extends Error {
  constructor(options?: ErrorOptions) {
    super('Questline does not answer', options);
    this.name = 'ApiAway';
  }
}

/** Makes the problem of an answer that is not ok. A gateway's own page means that our API was not reached. */
export function problemOfAnswer(response: Response, body: unknown): ApiProblem | ApiAway {
  const document = typeof body === 'object' && body !== null ? (body as Partial<ProblemDocument>) : {};
  const isGatewayPage = response.status >= 502 && response.status <= 504 && !document.code;
  if (isGatewayPage) return new ApiAway();
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new ApiProblem(response.status, document, Number.isFinite(retryAfter) ? retryAfter : undefined);
}

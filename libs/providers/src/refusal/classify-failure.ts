import type { ProviderFailure } from './provider-failure';
import { type HeaderReader, readRetryAfter } from './retry-after';

/** Codes and types by which providers say that money, not time, is missing. */
const QUOTA_CODES = new Set([
  'insufficient_quota',
  'insufficient_credits',
  'insufficient_balance',
  'insufficient_funds',
  'billing_error',
  'billing_hard_limit_reached',
  'billing_not_active',
  'credit_balance_too_low',
  'exceeded_current_quota_error',
]);
const OVERLOAD_CODES = new Set([
  'overloaded_error',
  'overloaded',
  'server_overloaded',
  'engine_overloaded',
  'unavailable_error',
]);
const RATE_LIMIT_CODES = new Set(['rate_limit_error', 'rate_limit_exceeded', 'rate_limited']);

/** Codes of the network layer by which no request can have reached the provider. */
const UNREACHABLE =
  /^(ECONNREFUSED|ENOTFOUND|EAI_[A-Z]+|EHOST[A-Z]+|ENET[A-Z]+|EPROTO|UND_ERR_CONNECT_TIMEOUT|ERR_(TLS|SSL)_[A-Z_]+|CERT_[A-Z_]+|UNABLE_TO_[A-Z_]+|(DEPTH_ZERO_)?SELF_SIGNED_CERT[A-Z_]*)$/;
/** Codes of the network layer by which the line broke afterwards. */
const BROKEN_LINE = /^(ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|UND_ERR_[A-Z_]+|HPE_[A-Z_]+)$/;
const DEEPEST_CAUSE = 6;

/**
 * Says why a send gave no result, by status and structured body alone: never by prose, and never by the
 * class of an SDK. Anything that carries `status` or `statusCode` counts, whoever built it and however
 * deep it sits among the causes.
 *
 * @param now our clock, in ms since the epoch
 */
export function classifyFailure(error: unknown, now: number): ProviderFailure {
  const chain = causesOf(error);
  const answer = chain.find((link) => statusOf(link) !== undefined);
  const codes = chain.flatMap(structuredCodes);
  const said = answer ?? chain.find((link) => structuredCodes(link).length > 0);
  const status = answer && statusOf(answer);
  const what = byCodeAndStatus(new Set(codes), status ?? statusAmong(codes));
  if (what) {
    const retryAfterMs = said && readRetryAfter(headersOf(said), now);
    return { what, status, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  }
  const networkCode = chain.map(networkCodeOf).find((code) => code !== undefined);
  if (networkCode === undefined) return { what: 'failed' };
  return { what: UNREACHABLE.test(networkCode) ? 'unreachable' : 'failed', networkCode };
}

function byCodeAndStatus(
  codes: ReadonlySet<string>,
  status: number | undefined,
): ProviderFailure['what'] | undefined {
  const says = (known: ReadonlySet<string>): boolean => [...codes].some((code) => known.has(code));
  if (status === 402 || says(QUOTA_CODES)) return 'quota_exhausted';
  if (status === 429) return 'rate_limited';
  if (status === 503 || status === 529 || says(OVERLOAD_CODES)) return 'overloaded';
  if (says(RATE_LIMIT_CODES)) return 'rate_limited';
  if (status === undefined) return undefined;
  // 408 is the server's own time-out. A redirect means a wrong address: a key is never sent after one.
  if (status >= 300 && status < 500 && status !== 408) return 'rejected';
  return 'failed';
}

function causesOf(error: unknown): object[] {
  const chain: object[] = [];
  for (let link = error; isObject(link) && chain.length < DEEPEST_CAUSE; link = link['cause'])
    chain.push(link);
  return chain;
}

function statusOf(link: object): number | undefined {
  const fields = link as Record<string, unknown>;
  const response = isObject(fields['response']) ? fields['response'] : {};
  const candidates = [fields['status'], fields['statusCode'], fields['status_code'], response['status']];
  return candidates.find((value): value is number => Number.isInteger(value) && Number(value) >= 100);
}

/** Gateways report a refusal of theirs inside a 200, with the status it should have had as its code. */
function statusAmong(codes: readonly string[]): number | undefined {
  return [402, 429, 503, 529].find((status) => codes.includes(String(status)));
}

/** The `code` and `type` of a structured body, at its top or inside its `error`, wherever the error keeps it. */
function structuredCodes(link: object): string[] {
  const fields = link as Record<string, unknown>;
  const response = isObject(fields['response']) ? fields['response'] : {};
  const bodies = [fields['body'], fields['error'], response['data']].filter(isObject);
  return bodies
    .flatMap((body) => [body, body['error'], isObject(body['error']) ? body['error']['error'] : undefined])
    .filter(isObject)
    .flatMap((body) => [body['code'], body['type']])
    .filter((code): code is string | number => typeof code === 'string' || typeof code === 'number')
    .map((code) => String(code).toLowerCase());
}

function headersOf(link: object): HeaderReader {
  const fields = link as Record<string, unknown>;
  const response = isObject(fields['response']) ? fields['response'] : {};
  const headers = fields['headers'] ?? response['headers'];
  if (headers instanceof Headers || (isObject(headers) && typeof headers['get'] === 'function')) {
    const carrier = headers as unknown as Headers;
    return (name) => carrier.get(name) ?? undefined;
  }
  const record = new Map(
    Object.entries(isObject(headers) ? headers : {}).map(([key, value]) => [key.toLowerCase(), value]),
  );
  return (name) => {
    const value = record.get(name);
    if (Array.isArray(value)) return value.join(', ');
    return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
  };
}

/** Only the network layer's own codes: any other `code` may be the provider's text, and echo a key. */
function networkCodeOf(link: object): string | undefined {
  const code = (link as { code?: unknown }).code;
  return typeof code === 'string' && (UNREACHABLE.test(code) || BROKEN_LINE.test(code)) ? code : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

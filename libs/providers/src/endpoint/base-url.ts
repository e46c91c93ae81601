/** A base URL taken apart: what everyone may see, and what only the wire may. */
export interface BaseUrl {
  /** Scheme, host and path without a trailing `/v1`, slash, credentials or query. */
  readonly visible: string;
  /** Normalised `host:port`: the box, whatever way it was written. */
  readonly host: string;
  /** `user:password` of the URL, decoded, for Basic authentication. */
  readonly userInfo?: string;
  /** Query parameters of the URL, which some gateways use for keys: sent with each request, shown nowhere. */
  readonly query: ReadonlyArray<readonly [name: string, value: string]>;
}

/** The base URL of an endpoint cannot be used. The URL itself is left out: it may hold a key. */
export class BadBaseUrlError extends Error {
  constructor(readonly owner: string) {
    super(`The base URL of ${owner} is no usable http(s) address`);
    this.name = 'BadBaseUrlError';
  }
}

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/**
 * Takes a base URL apart. `http://gpu:9000`, `HTTP://GPU:9000/v1/` and `http://u:p@gpu.:9000/?key=1` are
 * one box.
 *
 * @param owner whose URL it is, for the error's message
 * @throws BadBaseUrlError
 */
export function parseBaseUrl(text: string, owner: string): BaseUrl {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  const defaultPort = url && DEFAULT_PORTS[url.protocol];
  const hostname = url?.hostname.replace(/\.$/, '');
  if (!url || !defaultPort || !hostname) throw new BadBaseUrlError(owner);
  const host = `${hostname}:${url.port || defaultPort}`;
  const path = url.pathname.replace(/\/+$/, '').replace(/\/v1$/i, '').replace(/\/+$/, '');
  const userInfo =
    url.username || url.password ? `${decode(url.username)}:${decode(url.password)}` : undefined;
  return { visible: `${url.protocol}//${host}${path}`, host, userInfo, query: [...url.searchParams] };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

import { Agent, fetch as undiciFetch } from 'undici';
import type { RequestInit as UndiciRequestInit } from 'undici';
import type { ProviderEndpoint } from '../endpoint/provider-endpoint';
import { UpstreamAnswerError } from './upstream-answer-error';

/** What an adapter sends one request with. */
export interface Wire {
  /** A fetch for the vendor's SDK. It refuses to return an answer that is no success. */
  readonly fetch: typeof globalThis.fetch;
  /** Aborted when the call must end: time limit, caller gone, lease lost. */
  readonly signal: AbortSignal;
}

/** Error bodies are read for their structured code alone. */
const LONGEST_ERROR_BODY = 65_536;
const ERROR_BODY_TIMEOUT_MS = 5_000;

/**
 * The one way out to providers. Hidden time-outs are off (undici ends a silent answer after 300 s by
 * default, and a long transcription is silent until it is done): our own limits rule. Connections are not
 * kept alive, so that no call meets one that the other side has just given up. Yet `Connection: close` is
 * not said: told so, a server that refuses in mid-upload may reset the line, and its refusal is lost.
 */
export class ProviderWire {
  private readonly agent = new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 1,
    keepAliveMaxTimeout: 1,
  });

  /** A wire for one send to this endpoint. What went wrong on it is kept in `failure`, before an SDK rewraps it. */
  open(endpoint: ProviderEndpoint, signal: AbortSignal): Wire & { readonly failure: unknown } {
    const wire = {
      signal,
      failure: undefined as unknown,
      fetch: (async (input: string | URL | Request, init: RequestInit = {}) => {
        try {
          return await this.send(endpoint, input, init, signal);
        } catch (error) {
          wire.failure = error;
          throw error;
        }
      }) as typeof globalThis.fetch,
    };
    return wire;
  }

  /** Closes idle and running connections; for the end of the process. */
  async close(): Promise<void> {
    await this.agent.destroy();
  }

  private async send(
    endpoint: ProviderEndpoint,
    input: string | URL | Request,
    init: RequestInit,
    signal: AbortSignal,
  ): Promise<Response> {
    const url = new URL(input instanceof Request ? input.url : input);
    const headers = new Headers(init.headers);
    const { query, userInfo } = endpoint.credentials();
    for (const [name, value] of query) url.searchParams.append(name, value);
    if (userInfo !== undefined && !headers.has('authorization')) {
      headers.set('authorization', `Basic ${Buffer.from(userInfo).toString('base64')}`);
    }
    const response = (await undiciFetch(url, {
      ...(init as UndiciRequestInit),
      headers: Object.fromEntries(headers),
      dispatcher: this.agent,
      redirect: 'manual',
      signal,
    })) as unknown as Response;
    if (response.ok) return response;
    throw new UpstreamAnswerError(response.status, response.headers, await readErrorBody(response));
  }
}

/** Undefined for what is no JSON, too long or too slow; the connection is closed in any case. */
async function readErrorBody(response: Response): Promise<unknown> {
  const reader = response.body?.getReader();
  if (!reader) return undefined;
  const timer = setTimeout(() => void reader.cancel().catch(() => undefined), ERROR_BODY_TIMEOUT_MS);
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      text += decoder.decode(chunk.value as Uint8Array, { stream: true });
      if (text.length > LONGEST_ERROR_BODY) break;
    }
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
    await reader.cancel().catch(() => undefined);
  }
}

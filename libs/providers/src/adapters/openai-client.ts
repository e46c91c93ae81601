import OpenAI from 'openai';
import type { ProviderEndpoint } from '../endpoint/provider-endpoint';
import type { Wire } from '../wire/provider-wire';

/** Ours always ends the call first. */
const BEYOND_OUR_TIMEOUT_MS = 60_000;

/**
 * The official client for one send. Everything that it would take from the environment is given here, its
 * retries are off (one call is one request), and so is its time-out and its log, which prints bodies.
 */
export function newOpenAiClient(endpoint: ProviderEndpoint, wire: Wire): OpenAI {
  const { apiKey } = endpoint.credentials();
  return new OpenAI({
    apiKey: apiKey ?? 'none',
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    baseURL: `${endpoint.baseUrl}/v1`,
    maxRetries: 0,
    timeout: endpoint.timeoutMs + BEYOND_OUR_TIMEOUT_MS,
    logLevel: 'off',
    fetch: wire.fetch,
    // Servers without keys get none; null takes the header out.
    defaultHeaders: apiKey ? {} : { Authorization: null },
  });
}

import Anthropic from '@anthropic-ai/sdk';
import { transformJSONSchema } from '@anthropic-ai/sdk/lib/transform-json-schema';
import type { ProviderEndpoint } from '../endpoint/provider-endpoint';
import { NoResultError } from '../wire/upstream-answer-error';
import type { Wire } from '../wire/provider-wire';
import type { LlmAdapter, LlmAnswer, LlmRequest } from './llm-adapter';
import { readAmount, readText } from './read-answer';

/** The API demands a number; it only bounds what an answer may cost. */
const DEFAULT_MAX_TOKENS = 8_192;
/** Ours always ends the call first. */
const BEYOND_OUR_TIMEOUT_MS = 60_000;

/**
 * `POST /v1/messages`, always streamed: the SDK refuses long answers otherwise, and the API advises it for
 * them. An error event in mid-stream is thrown by the SDK with its structured body.
 */
export class AnthropicAdapter implements LlmAdapter {
  async generate(request: LlmRequest, wire: Wire): Promise<LlmAnswer> {
    const { endpoint, model, system, prompt, maxOutputTokens, schema } = request;
    const stream = await newClient(endpoint, wire).messages.create(
      {
        model,
        max_tokens: maxOutputTokens ?? DEFAULT_MAX_TOKENS,
        messages: [{ role: 'user', content: prompt }],
        stream: true,
        ...(system ? { system } : {}),
        ...(schema ? { output_config: { format: { type: 'json_schema', schema: acceptable(schema) } } } : {}),
      },
      { signal: wire.signal },
    );
    let text = '';
    let answeredBy: string = model;
    let inputTokens: number | undefined;
    let outputTokens: number | undefined;
    let isWhole = false;
    for await (const event of stream) {
      if (event.type === 'message_start') {
        answeredBy = event.message.model;
        inputTokens = readAmount(inputOf(event.message.usage));
      } else if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') {
        text += event.delta.text;
      } else if (event.type === 'message_delta') {
        outputTokens = readAmount(event.usage?.output_tokens);
      } else if (event.type === 'message_stop') {
        isWhole = true;
      }
    }
    if (!isWhole) throw new NoResultError();
    return { text: readText(text), model: answeredBy, inputTokens, outputTokens };
  }
}

/**
 * The API takes a part of JSON schema only and rejects the rest. The SDK moves what it would not take into
 * descriptions; whether the answer fits the whole schema is judged by us.
 */
function acceptable(schema: Readonly<Record<string, unknown>>): Record<string, unknown> {
  try {
    return transformJSONSchema(schema);
  } catch {
    return { ...schema };
  }
}

/** What was written to or read from the prompt cache is input too. Servers in between may leave usage out. */
function inputOf(usage: Partial<Anthropic.Usage> | undefined): number {
  return (
    (usage?.input_tokens ?? 0) +
    (usage?.cache_creation_input_tokens ?? 0) +
    (usage?.cache_read_input_tokens ?? 0)
  );
}

/** Everything that the client would take from the environment is given here; see `newOpenAiClient`. */
function newClient(endpoint: ProviderEndpoint, wire: Wire): Anthropic {
  const { apiKey } = endpoint.credentials();
  return new Anthropic({
    apiKey: apiKey ?? 'none',
    defaultHeaders: apiKey ? {} : { Authorization: null },
    webhookKey: null,
    baseURL: endpoint.baseUrl,
    maxRetries: 0,
    timeout: endpoint.timeoutMs + BEYOND_OUR_TIMEOUT_MS,
    logLevel: 'off',
    openTelemetry: false,
    fetch: wire.fetch,
  });
}

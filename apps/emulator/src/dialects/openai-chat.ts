import { type ChatCall, type ChatDialect, type ChatReply, piecesOf, sseFrame } from './dialect';
import { BadCallError, COMMON_ERRORS, type ErrorName, type ProviderError } from './provider-error';
import { isRecord, type JsonRecord, modelOf, promptOf, recordOf, tokenLimit } from './request-fields';

/** Type and code of OpenAI's error object, by name. */
const KINDS: Readonly<Record<ErrorName, { type: string; code: string | null }>> = {
  rate_limited: { type: 'requests', code: 'rate_limit_exceeded' },
  overloaded: { type: 'server_error', code: 'server_overloaded' },
  insufficient_quota: { type: 'insufficient_quota', code: 'insufficient_quota' },
  loading_model: { type: 'server_error', code: 'server_overloaded' },
  maximum_pending_requests: { type: 'server_error', code: 'server_overloaded' },
  invalid_request: { type: 'invalid_request_error', code: null },
  unauthorized: { type: 'invalid_request_error', code: 'invalid_api_key' },
  forbidden: { type: 'invalid_request_error', code: 'unsupported_country_region_territory' },
  not_found: { type: 'invalid_request_error', code: 'model_not_found' },
  too_large: { type: 'invalid_request_error', code: 'request_too_large' },
  server_error: { type: 'server_error', code: null },
  bad_gateway: { type: 'server_error', code: null },
  gateway_timeout: { type: 'server_error', code: null },
};

/** OpenAI's error object; gateways in front of other servers say it too. */
export function openAiError(name: ErrorName, message?: string): ProviderError {
  const { status, message: usual } = COMMON_ERRORS[name];
  return { status, body: { error: { message: message ?? usual, ...KINDS[name], param: null } } };
}

/** `POST /v1/chat/completions` as OpenAI has it. */
export class OpenAiChatDialect implements ChatDialect {
  readonly name: string = 'openai';
  readonly streamType = 'text/event-stream; charset=utf-8';

  error(name: ErrorName, message?: string): ProviderError {
    return openAiError(name, message);
  }

  read(body: unknown): ChatCall {
    const fields = recordOf(body);
    const options = fields['stream_options'];
    return {
      model: this.modelOf(fields),
      prompt: promptOf(fields['messages']),
      stream: fields['stream'] === true,
      schema: this.schemaOf(fields['response_format']),
      maxTokens: tokenLimit(fields['max_completion_tokens'], fields['max_tokens']),
      streamsUsage: isRecord(options) && options['include_usage'] === true,
    };
  }

  whole(call: ChatCall, reply: ChatReply): unknown {
    return {
      ...this.envelope(call, 'chat.completion'),
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: reply.text, refusal: null },
          logprobs: null,
          finish_reason: reply.truncated ? 'length' : 'stop',
        },
      ],
      ...(reply.reportsUsage ? { usage: usageOf(reply) } : {}),
    };
  }

  frames(call: ChatCall, reply: ChatReply): string[] {
    const chunk = (delta: unknown, finish: string | null = null): string =>
      sseFrame({
        ...this.envelope(call, 'chat.completion.chunk'),
        choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
      });
    const usage =
      reply.reportsUsage && this.reportsUsageInStream(call)
        ? [
            sseFrame({
              ...this.envelope(call, 'chat.completion.chunk'),
              choices: [],
              usage: usageOf(reply),
            }),
          ]
        : [];
    return [
      chunk({ role: 'assistant', content: '' }),
      ...piecesOf(reply.text).map((content) => chunk({ content })),
      chunk({}, reply.truncated ? 'length' : 'stop'),
      ...usage,
      sseFrame('[DONE]'),
    ];
  }

  errorFrame(name: ErrorName, message?: string): string {
    return sseFrame(this.error(name, message).body);
  }

  protected modelOf(fields: JsonRecord): string {
    return modelOf(fields);
  }

  protected reportsUsageInStream(call: ChatCall): boolean {
    return call.streamsUsage === true;
  }

  /** @throws BadCallError for a format that carries no schema */
  protected schemaOf(format: unknown): unknown {
    if (!isRecord(format) || format['type'] === 'text') return undefined;
    if (format['type'] === 'json_object') return true;
    const named = format['json_schema'];
    if (format['type'] !== 'json_schema' || !isRecord(named) || named['schema'] === undefined) {
      throw new BadCallError('response_format must be text, json_object, or json_schema with a schema');
    }
    return named['schema'];
  }

  private envelope(call: ChatCall, object: string): JsonRecord {
    return {
      id: 'chatcmpl-emulated',
      object,
      created: Math.floor(Date.now() / 1000),
      model: call.model,
      system_fingerprint: 'fp_emulator',
    };
  }
}

function usageOf(reply: ChatReply): unknown {
  return {
    prompt_tokens: reply.inputTokens,
    completion_tokens: reply.outputTokens,
    total_tokens: reply.inputTokens + reply.outputTokens,
  };
}

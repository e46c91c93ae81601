import { type ChatCall, type ChatDialect, type ChatReply, piecesOf, sseFrame } from './dialect';
import { BadCallError, COMMON_ERRORS, type ErrorName, type ProviderError } from './provider-error';
import { isRecord, type JsonRecord, modelOf, promptOf, recordOf, tokenLimit } from './request-fields';

const TYPES: Readonly<Record<ErrorName, { type: string; status?: number; message?: string }>> = {
  rate_limited: { type: 'rate_limit_error' },
  overloaded: { type: 'overloaded_error', status: 529, message: 'Overloaded' },
  insufficient_quota: { type: 'billing_error', status: 402 },
  loading_model: { type: 'overloaded_error', status: 529, message: 'Overloaded' },
  maximum_pending_requests: { type: 'overloaded_error', status: 529, message: 'Overloaded' },
  invalid_request: { type: 'invalid_request_error' },
  unauthorized: { type: 'authentication_error', message: 'invalid x-api-key' },
  forbidden: { type: 'permission_error' },
  not_found: { type: 'not_found_error' },
  too_large: { type: 'request_too_large' },
  server_error: { type: 'api_error' },
  bad_gateway: { type: 'api_error' },
  gateway_timeout: { type: 'timeout_error' },
};

/**
 * Anthropic's `POST /v1/messages`. A structured answer is asked for as the official SDK does it, with
 * `output_config.format` (or the older `output_format`), or by forcing a tool, whose input then carries it.
 */
export class AnthropicDialect implements ChatDialect {
  readonly name = 'anthropic';
  readonly streamType = 'text/event-stream; charset=utf-8';

  error(name: ErrorName, message?: string): ProviderError {
    const kind = TYPES[name];
    const usual = COMMON_ERRORS[name];
    const error = { type: kind.type, message: message ?? kind.message ?? usual.message };
    return {
      status: kind.status ?? usual.status,
      body: { type: 'error', error, request_id: 'req_emulated' },
    };
  }

  read(body: unknown): ChatCall {
    const fields = recordOf(body);
    const maxTokens = tokenLimit(fields['max_tokens']);
    if (maxTokens === undefined) throw new BadCallError('max_tokens: Field required');
    const tool = forcedTool(fields);
    return {
      model: modelOf(fields),
      prompt: promptOf(fields['messages'], fields['system']),
      stream: fields['stream'] === true,
      schema: tool?.['input_schema'] ?? outputSchema(fields),
      maxTokens,
      tool: typeof tool?.['name'] === 'string' ? tool['name'] : undefined,
    };
  }

  whole(call: ChatCall, reply: ChatReply): unknown {
    const block =
      call.tool === undefined
        ? { type: 'text', text: reply.text }
        : { type: 'tool_use', id: 'toolu_emulated', name: call.tool, input: parsed(reply.text) };
    return {
      ...envelope(call),
      content: [block],
      stop_reason: stopReason(call, reply),
      ...(reply.reportsUsage && {
        usage: { input_tokens: reply.inputTokens, output_tokens: reply.outputTokens },
      }),
    };
  }

  frames(call: ChatCall, reply: ChatReply): string[] {
    const event = (type: string, facts: JsonRecord = {}): string => sseFrame({ type, ...facts }, type);
    const inputTokens = reply.reportsUsage ? reply.inputTokens : 0;
    const block =
      call.tool === undefined
        ? { type: 'text', text: '' }
        : { type: 'tool_use', id: 'toolu_emulated', name: call.tool, input: {} };
    const delta = (piece: string): JsonRecord =>
      call.tool === undefined
        ? { type: 'text_delta', text: piece }
        : { type: 'input_json_delta', partial_json: piece };
    return [
      event('message_start', {
        message: {
          ...envelope(call),
          content: [],
          stop_reason: null,
          usage: { input_tokens: inputTokens, output_tokens: reply.reportsUsage ? 1 : 0 },
        },
      }),
      event('content_block_start', { index: 0, content_block: block }),
      event('ping'),
      ...piecesOf(reply.text).map((piece) => event('content_block_delta', { index: 0, delta: delta(piece) })),
      event('content_block_stop', { index: 0 }),
      event('message_delta', {
        delta: { stop_reason: stopReason(call, reply), stop_sequence: null },
        usage: { output_tokens: reply.reportsUsage ? reply.outputTokens : 0 },
      }),
      event('message_stop'),
    ];
  }

  errorFrame(name: ErrorName, message?: string): string {
    return sseFrame(this.error(name, message).body, 'error');
  }
}

function envelope(call: ChatCall): JsonRecord {
  return { id: 'msg_emulated', type: 'message', role: 'assistant', model: call.model, stop_sequence: null };
}

function stopReason(call: ChatCall, reply: ChatReply): string {
  if (reply.truncated) return 'max_tokens';
  return call.tool === undefined ? 'end_turn' : 'tool_use';
}

/** The tool that the call forces: the named one, or the first when any will do. */
function forcedTool(fields: JsonRecord): JsonRecord | undefined {
  const { tools, tool_choice: choice } = fields;
  if (!Array.isArray(tools) || !isRecord(choice)) return undefined;
  const offered = tools.filter(isRecord);
  if (choice['type'] === 'any') return offered[0];
  if (choice['type'] !== 'tool') return undefined;
  const tool = offered.find(({ name }) => name === choice['name']);
  if (tool === undefined) throw new BadCallError('tool_choice: the tool is not among the tools');
  return tool;
}

function outputSchema(fields: JsonRecord): unknown {
  const config = fields['output_config'];
  const format = isRecord(config) ? config['format'] : fields['output_format'];
  if (!isRecord(format)) return undefined;
  if (format['type'] !== 'json_schema' || format['schema'] === undefined) {
    throw new BadCallError('output_config.format: must be json_schema with a schema');
  }
  return format['schema'];
}

/** The input of a tool is an object on the wire; what a script made unreadable stays a string. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

import { type ChatCall, type ChatDialect, type ChatReply, piecesOf } from './dialect';
import { openAiError } from './openai-chat';
import { COMMON_ERRORS, type ErrorName, type ProviderError } from './provider-error';
import { isRecord, modelOf, promptOf, recordOf, tokenLimit } from './request-fields';

/** Ollama's `POST /api/chat`, which streams lines of JSON unless it is told not to. */
export class OllamaDialect implements ChatDialect {
  readonly name = 'ollama';
  readonly streamType = 'application/x-ndjson';

  error(name: ErrorName, message?: string): ProviderError {
    // Ollama bills nobody; a gateway in front of it that does speaks OpenAI's shape.
    if (name === 'insufficient_quota') return openAiError(name, message);
    // Ollama says "busy" in one way only.
    const words = name === 'overloaded' ? 'maximum_pending_requests' : name;
    const { status, message: usual } = COMMON_ERRORS[words];
    return { status, body: { error: message ?? usual } };
  }

  read(body: unknown): ChatCall {
    const fields = recordOf(body);
    const { format, options } = fields;
    return {
      model: modelOf(fields),
      prompt: promptOf(fields['messages']),
      stream: fields['stream'] !== false,
      schema: format === 'json' ? true : isRecord(format) ? format : undefined,
      maxTokens: isRecord(options) ? tokenLimit(options['num_predict']) : undefined,
    };
  }

  whole(call: ChatCall, reply: ChatReply): unknown {
    return this.line(call, reply.text, reply);
  }

  frames(call: ChatCall, reply: ChatReply): string[] {
    const lines = [
      ...piecesOf(reply.text).map((piece) => this.line(call, piece)),
      this.line(call, '', reply),
    ];
    return lines.map((line) => `${JSON.stringify(line)}\n`);
  }

  errorFrame(name: ErrorName, message?: string): string {
    return `${JSON.stringify(this.error(name, message).body)}\n`;
  }

  private line(call: ChatCall, content: string, last?: ChatReply): unknown {
    return {
      model: call.model,
      created_at: new Date().toISOString(),
      message: { role: 'assistant', content },
      done: last !== undefined,
      ...(last && {
        done_reason: last.truncated ? 'length' : 'stop',
        ...(last.reportsUsage && {
          total_duration: 200_000_000,
          load_duration: 1_000_000,
          prompt_eval_count: last.inputTokens,
          prompt_eval_duration: 50_000_000,
          eval_count: last.outputTokens,
          eval_duration: 149_000_000,
        }),
      }),
    };
  }
}

import type { ChatCall } from './dialect';
import { OpenAiChatDialect } from './openai-chat';
import { COMMON_ERRORS, type ErrorName, type ProviderError } from './provider-error';
import { isRecord, type JsonRecord } from './request-fields';

const TYPES: Readonly<Partial<Record<ErrorName, string>>> = {
  rate_limited: 'rate_limit_error',
  overloaded: 'unavailable_error',
  loading_model: 'unavailable_error',
  maximum_pending_requests: 'unavailable_error',
  invalid_request: 'invalid_request_error',
  unauthorized: 'authentication_error',
  forbidden: 'permission_error',
  not_found: 'not_found_error',
  too_large: 'invalid_request_error',
};

/** llama.cpp's server: OpenAI's chat route with errors of its own, no model name needed, usage always told. */
export class LlamaCppDialect extends OpenAiChatDialect {
  override readonly name = 'llamacpp';

  override error(name: ErrorName, message?: string): ProviderError {
    // llama.cpp bills nobody; a gateway in front of it that does speaks OpenAI's shape.
    if (name === 'insufficient_quota') return super.error(name, message);
    const { status, message: usual } = COMMON_ERRORS[name];
    const type = TYPES[name] ?? 'server_error';
    return { status, body: { error: { code: status, message: message ?? usual, type } } };
  }

  protected override modelOf(fields: JsonRecord): string {
    return typeof fields['model'] === 'string' ? fields['model'] : 'emulated-model.gguf';
  }

  protected override reportsUsageInStream(_call: ChatCall): boolean {
    return true;
  }

  /** llama.cpp also takes the schema beside the type, and beside `json_object`. */
  protected override schemaOf(format: unknown): unknown {
    if (isRecord(format) && format['schema'] !== undefined) return format['schema'];
    return super.schemaOf(format);
  }
}

import type { ProviderEndpoint } from '../endpoint/provider-endpoint';
import type { Wire } from '../wire/provider-wire';

export interface LlmRequest {
  readonly endpoint: ProviderEndpoint;
  readonly model: string;
  readonly system?: string;
  readonly prompt: string;
  readonly maxOutputTokens?: number;
  /** Asks for JSON of this schema by the dialect's own means; whether it fits is judged elsewhere. */
  readonly schema?: Readonly<Record<string, unknown>>;
}

export interface LlmAnswer {
  readonly text: string;
  /** As the server names it. */
  readonly model: string;
  /** Undefined where the server reported none. */
  readonly inputTokens?: number;
  readonly outputTokens?: number;
}

/** Speaks one dialect, see `AsrAdapter`. An answer without text is a `NoResultError`. */
export interface LlmAdapter {
  generate(request: LlmRequest, wire: Wire): Promise<LlmAnswer>;
}

import type { ProviderName } from '../endpoint/provider-endpoint';
import { AnthropicAdapter } from './anthropic.adapter';
import type { AsrAdapter } from './asr-adapter';
import type { LlmAdapter } from './llm-adapter';
import { OllamaAdapter } from './ollama.adapter';
import { OpenAiChatAdapter } from './openai-chat.adapter';
import { OpenAiTranscriptionAdapter } from './openai-transcription.adapter';
import { StubAdapter } from './stub.adapter';

/** Every dialect we speak. Nothing outside this lib may reach one: only slotted calls are exported. */
export class ProviderAdapters {
  readonly stub = new StubAdapter();
  private readonly transcription = new OpenAiTranscriptionAdapter();
  private readonly chat = new OpenAiChatAdapter();
  private readonly asrAdapters: Partial<Record<ProviderName, AsrAdapter>> = {
    whisperx: this.transcription,
    openai: this.transcription,
    stub: this.stub,
  };
  private readonly llmAdapters: Partial<Record<ProviderName, LlmAdapter>> = {
    ollama: new OllamaAdapter(),
    llamacpp: this.chat,
    openai: this.chat,
    anthropic: new AnthropicAdapter(),
    stub: this.stub,
  };

  asr(provider: ProviderName): AsrAdapter {
    return known(this.asrAdapters[provider], provider);
  }

  llm(provider: ProviderName): LlmAdapter {
    return known(this.llmAdapters[provider], provider);
  }
}

function known<T>(adapter: T | undefined, provider: string): T {
  if (!adapter) throw new Error(`No adapter speaks to "${provider}"; the configuration lets none such pass`);
  return adapter;
}

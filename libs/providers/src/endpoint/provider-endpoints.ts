import type { AppConfig } from '@app/config';
import { type ConcurrencyLimit, resolveLimit } from './concurrency-limit';
import { endpointCapName, ProviderEndpoint, type ProviderName } from './provider-endpoint';

/** What a text call is for: the product's own (`llm`) or a team's generation, which may have a server of its own. */
export type LlmUse = 'llm' | 'generation';

export type ConfiguredEndpoint = ConcurrencyLimit & {
  readonly endpoint: ProviderEndpoint;
  readonly capName: string;
};

const HOSTED_ADDRESSES: Partial<Record<ProviderName, string>> = {
  openai: 'https://api.openai.com',
  anthropic: 'https://api.anthropic.com',
};

const DEFAULT_MODELS: Readonly<Record<'asr' | 'llm', Partial<Record<ProviderName, string>>>> = {
  asr: { whisperx: 'large-v3', openai: 'whisper-1', stub: 'stub' },
  llm: {
    ollama: 'llama3.2',
    llamacpp: 'default',
    openai: 'gpt-4o-mini',
    anthropic: 'claude-haiku-4-5',
    stub: 'stub',
  },
};

/** The endpoints this installation is configured with, and the limit each one's calls carry. */
export class ProviderEndpoints {
  readonly asr: ProviderEndpoint;
  readonly llm: ProviderEndpoint;
  readonly generation: ProviderEndpoint;
  private readonly environment = new Map<string, number>();
  private readonly advertised = new Map<string, number>();

  /** @throws BadBaseUrlError when an address is missing or unusable */
  constructor(config: Readonly<AppConfig>) {
    this.asr = newEndpoint('asr', config.QB_ASR_PROVIDER, config.QB_ASR_TIMEOUT_MS, {
      baseUrl: config.QB_ASR_BASE_URL,
      model: config.QB_ASR_MODEL,
      apiKey: config.QB_ASR_API_KEY,
    });
    this.llm = newEndpoint('llm', config.QB_LLM_PROVIDER, config.QB_LLM_TIMEOUT_MS, {
      baseUrl: config.QB_LLM_BASE_URL,
      model: config.QB_LLM_MODEL,
      apiKey: config.QB_LLM_API_KEY,
    });
    this.generation = this.generationEndpoint(config);
    // Of two variables about one box the generations' own gives way: a cap has one limit.
    this.setEnvironment(this.generation, config.QB_GENERATION_LLM_CONCURRENCY_LIMIT);
    this.setEnvironment(this.llm, config.QB_LLM_CONCURRENCY_LIMIT);
    this.setEnvironment(this.asr, config.QB_ASR_CONCURRENCY_LIMIT);
  }

  forUse(use: LlmUse): ProviderEndpoint {
    return use === 'generation' ? this.generation : this.llm;
  }

  /** Each configured endpoint once, idle ones too. */
  all(): ConfiguredEndpoint[] {
    const endpoints = new Map<string, ProviderEndpoint>();
    for (const endpoint of [this.generation, this.llm, this.asr].reverse()) {
      const capName = endpointCapName(endpoint);
      if (!endpoints.has(capName)) endpoints.set(capName, endpoint);
    }
    return [...endpoints].map(([capName, endpoint]) => ({ endpoint, capName, ...this.limitOf(endpoint) }));
  }

  /** The limit that a call's request carries; the semaphore may hold an override over it. */
  limitOf(endpoint: ProviderEndpoint): ConcurrencyLimit {
    const capName = endpointCapName(endpoint);
    return resolveLimit(endpoint.provider, {
      environment: this.environment.get(capName),
      advertised: this.advertised.get(capName),
    });
  }

  /** What the server last said of itself; null when it says nothing. */
  setAdvertised(endpoint: ProviderEndpoint, concurrency: number | null): void {
    const capName = endpointCapName(endpoint);
    if (concurrency === null) this.advertised.delete(capName);
    else this.advertised.set(capName, concurrency);
  }

  private setEnvironment(endpoint: ProviderEndpoint, limit: number | undefined): void {
    if (limit) this.environment.set(endpointCapName(endpoint), limit);
  }

  /** Unset variables fall back to the LLM's; its model only for the same provider, its key only for the same box. */
  private generationEndpoint(config: Readonly<AppConfig>): ProviderEndpoint {
    const provider = config.QB_GENERATION_LLM_PROVIDER ?? config.QB_LLM_PROVIDER;
    const sameProvider = provider === config.QB_LLM_PROVIDER;
    const ownBaseUrl = config.QB_GENERATION_LLM_BASE_URL;
    const settings = {
      baseUrl: ownBaseUrl ?? (sameProvider ? config.QB_LLM_BASE_URL : undefined),
      model: config.QB_GENERATION_LLM_MODEL ?? (sameProvider ? config.QB_LLM_MODEL : undefined),
      apiKey: config.QB_GENERATION_LLM_API_KEY,
    };
    const own = newEndpoint('llm', provider, config.QB_LLM_TIMEOUT_MS, settings);
    if (settings.apiKey || endpointCapName(own) !== endpointCapName(this.llm)) return own;
    return newEndpoint('llm', provider, config.QB_LLM_TIMEOUT_MS, {
      ...settings,
      apiKey: config.QB_LLM_API_KEY,
    });
  }
}

function newEndpoint(
  kind: 'asr' | 'llm',
  provider: ProviderName,
  timeoutMs: number,
  given: { baseUrl?: string; model?: string; apiKey?: string },
): ProviderEndpoint {
  return new ProviderEndpoint({
    kind,
    provider,
    timeoutMs,
    baseUrl: given.baseUrl ?? HOSTED_ADDRESSES[provider],
    model: given.model ?? DEFAULT_MODELS[kind][provider] ?? 'default',
    apiKey: given.apiKey,
  });
}

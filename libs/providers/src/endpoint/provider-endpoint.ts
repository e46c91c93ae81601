import type { AsrProviderName, LlmProviderName } from '@app/config';
import { parseBaseUrl } from './base-url';

export type ProviderKind = 'asr' | 'llm';
export type ProviderName = AsrProviderName | LlmProviderName;

/** What only the wire may see of an endpoint. */
export interface EndpointCredentials {
  readonly apiKey?: string;
  /** `user:password` from the base URL. */
  readonly userInfo?: string;
  readonly query: ReadonlyArray<readonly [name: string, value: string]>;
}

export interface EndpointSettings {
  readonly kind: ProviderKind;
  readonly provider: ProviderName;
  /** May be missing for the stub alone, which speaks no HTTP. */
  readonly baseUrl?: string;
  readonly model: string;
  readonly apiKey?: string;
  /** Longest time one send may take, in ms. */
  readonly timeoutMs: number;
}

const IN_PROCESS = { visible: '', host: 'in-process:0', query: [] } as const;

/**
 * One server that answers. Its identity is kind, provider and normalised host, so that two configurations
 * of one box share its slots. Credentials sit in a private field: printing or logging an endpoint cannot
 * show them.
 */
export class ProviderEndpoint {
  readonly kind: ProviderKind;
  readonly provider: ProviderName;
  /** Normalised `host:port`. */
  readonly host: string;
  /** Without credentials, query and `/v1`. */
  readonly baseUrl: string;
  readonly model: string;
  readonly timeoutMs: number;
  readonly #credentials: EndpointCredentials;

  /** @throws BadBaseUrlError */
  constructor(settings: EndpointSettings) {
    const { kind, provider, baseUrl, apiKey } = settings;
    const address =
      baseUrl === undefined && provider === 'stub'
        ? IN_PROCESS
        : parseBaseUrl(baseUrl ?? '', `the ${kind} provider ${provider}`);
    this.kind = kind;
    this.provider = provider;
    this.host = address.host;
    this.baseUrl = address.visible;
    this.model = settings.model;
    this.timeoutMs = settings.timeoutMs;
    this.#credentials = {
      apiKey,
      userInfo: 'userInfo' in address ? address.userInfo : undefined,
      query: address.query,
    };
  }

  /** For the wire alone. */
  credentials(): EndpointCredentials {
    return this.#credentials;
  }
}

/** Name of the cap that all calls to this endpoint share. */
export function endpointCapName(endpoint: Pick<ProviderEndpoint, 'kind' | 'provider' | 'host'>): string {
  return `${endpoint.kind}:${endpoint.provider}:${endpoint.host}`;
}

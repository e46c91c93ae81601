import type { ProviderWire } from '../wire/provider-wire';
import type { ProviderEndpoint, ProviderName } from './provider-endpoint';
import type { ProviderEndpoints } from './provider-endpoints';

interface Advertisement {
  readonly path: string;
  readonly field: string;
}

/** Servers that tell how many calls they work on at once. */
const ADVERTISEMENTS: Partial<Record<ProviderName, Advertisement>> = {
  llamacpp: { path: '/props', field: 'total_slots' },
  whisperx: { path: '/capabilities', field: 'concurrency' },
};

const REFRESH_MS = 60_000;
const ASK_TIMEOUT_MS = 5_000;
const MOST_BELIEVED = 10_000;

/**
 * Learns in the background what servers say of themselves. No call ever waits for it: until the first
 * answer the declared limit holds. A server without the route (404) advertises nothing; one that cannot be
 * reached keeps what it said last.
 */
export class AdvertisedConcurrency {
  private timer: NodeJS.Timeout | undefined;
  private readonly stopped = new AbortController();

  constructor(
    private readonly endpoints: ProviderEndpoints,
    private readonly wire: ProviderWire,
  ) {}

  onApplicationBootstrap(): void {
    void this.refresh();
    this.timer = setInterval(() => void this.refresh(), REFRESH_MS);
    this.timer.unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
    this.stopped.abort();
  }

  /** Asks each endpoint once; never rejects. */
  async refresh(): Promise<void> {
    const asked = this.endpoints.all().flatMap(({ endpoint }) => {
      const advertisement = ADVERTISEMENTS[endpoint.provider];
      return advertisement ? [this.ask(endpoint, advertisement)] : [];
    });
    await Promise.all(asked);
  }

  private async ask(endpoint: ProviderEndpoint, { path, field }: Advertisement): Promise<void> {
    const ending = new AbortController();
    const end = (): void => ending.abort();
    const timer = setTimeout(end, ASK_TIMEOUT_MS);
    this.stopped.signal.addEventListener('abort', end, { once: true });
    const { apiKey } = endpoint.credentials();
    try {
      const response = await this.wire.open(endpoint, ending.signal).fetch(`${endpoint.baseUrl}${path}`, {
        headers: apiKey ? { authorization: `Bearer ${apiKey}` } : {},
      });
      const answer = (await response.json()) as Record<string, unknown> | null;
      this.endpoints.setAdvertised(endpoint, believable(answer?.[field]));
    } catch (error) {
      if ((error as { status?: unknown }).status === 404) this.endpoints.setAdvertised(endpoint, null);
    } finally {
      clearTimeout(timer);
      this.stopped.signal.removeEventListener('abort', end);
    }
  }
}

function believable(value: unknown): number | null {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MOST_BELIEVED
    ? Number(value)
    : null;
}

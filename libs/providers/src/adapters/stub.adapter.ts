import { delay } from '@app/kernel';
import type { ProviderTranscript } from '../dispatch/calls';
import type { ProviderEndpoint } from '../endpoint/provider-endpoint';
import type { Wire } from '../wire/provider-wire';
import type { AsrAdapter, AsrRequest } from './asr-adapter';
import type { LlmAdapter, LlmAnswer, LlmRequest } from './llm-adapter';
import { sampleOfSchema } from './sample-of-schema';

/**
 * Answers in memory, without any HTTP, and says so in each answer. It has no limit of its own whatsoever,
 * which proves that ours sits in the caller. `?hold_ms=500` in the base URL makes each call last; `failWith`
 * scripts the next calls.
 */
export class StubAdapter implements AsrAdapter, LlmAdapter {
  inFlight = 0;
  /** Most calls that ever ran at once. */
  peak = 0;
  requests = 0;
  /** For an endpoint whose base URL names none, in ms. */
  holdMs = 0;
  private readonly failures: unknown[] = [];

  /** The next calls throw these, one each: anything that carries a status counts as an answer. */
  failWith(...failures: unknown[]): void {
    this.failures.push(...failures);
  }

  async transcribe({ endpoint, audio, language }: AsrRequest, wire: Wire): Promise<ProviderTranscript> {
    await this.hold(endpoint, wire.signal);
    const durationSeconds = audio.durationSeconds ?? 1;
    const text = `Stub transcript of ${audio.bytes} bytes; nothing was transcribed.`;
    return {
      language: language ?? 'en',
      durationSeconds,
      segments: [{ start: 0, end: durationSeconds, speaker: null, text }],
    };
  }

  async generate({ endpoint, model, prompt, schema }: LlmRequest, wire: Wire): Promise<LlmAnswer> {
    await this.hold(endpoint, wire.signal);
    const text = schema
      ? JSON.stringify(sampleOfSchema(schema))
      : `Stub answer to ${prompt.length} characters; nothing was generated.`;
    return { text, model };
  }

  private async hold(endpoint: ProviderEndpoint, signal: AbortSignal): Promise<void> {
    this.requests += 1;
    this.inFlight += 1;
    this.peak = Math.max(this.peak, this.inFlight);
    try {
      await delay(holdOf(endpoint) ?? this.holdMs, signal);
      if (this.failures.length > 0) throw this.failures.shift();
    } finally {
      this.inFlight -= 1;
    }
  }
}

function holdOf(endpoint: ProviderEndpoint): number | undefined {
  const [, text] = endpoint.credentials().query.find(([name]) => name === 'hold_ms') ?? [];
  return text && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

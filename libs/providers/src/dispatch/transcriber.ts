import type { ProviderAdapters } from '../adapters/provider-adapters';
import type { ProviderEndpoints } from '../endpoint/provider-endpoints';
import type { TranscribeCall, TranscribeResult } from './calls';
import type { SlottedCall } from './slotted-call';

/** Speech to text, under a slot. */
export class Transcriber {
  constructor(
    private readonly endpoints: ProviderEndpoints,
    private readonly adapters: ProviderAdapters,
    private readonly slotted: SlottedCall,
  ) {}

  async transcribe(call: TranscribeCall): Promise<TranscribeResult> {
    const { audio, language } = call;
    const endpoint = this.endpoints.asr;
    const adapter = this.adapters.asr(endpoint.provider);
    const { value: transcript, durationMs } = await this.slotted.run(
      { ...call, endpoint, work: audio.durationSeconds ?? undefined },
      (wire) => adapter.transcribe({ endpoint, audio, language }, wire),
    );
    return {
      transcript,
      meter: {
        provider: endpoint.provider,
        model: endpoint.model,
        inputTokens: 0,
        outputTokens: 0,
        estimated: transcript.durationSeconds === null,
        calls: 1,
        durationMs,
        audioSeconds: transcript.durationSeconds ?? audio.durationSeconds ?? 0,
      },
    };
  }
}

import { DIALECTS, ProviderWorld } from './provider-world';

/** Longer than undici's 300 s for headers and the SDKs' 600 s for a call (FC-04). */
const SILENCE_MS = 620_000;

describe('a provider that is silent for 620 s', () => {
  it.concurrent.each(DIALECTS)(
    'is waited for by one request: $kind through $provider',
    async (dialect) => {
      const world = await ProviderWorld.start(dialect);
      try {
        world.emulator.script([{ action: { delay_ms: SILENCE_MS } }]);
        const parts = await world.process({ QB_ASR_TIMEOUT_MS: 1_800_000, QB_LLM_TIMEOUT_MS: 1_800_000 });
        const result = await world.ask(parts);
        expect(result.text).not.toBe('');
        expect(world.requests).toBe(1);
      } finally {
        await world.stop();
      }
    },
    SILENCE_MS + 60_000,
  );
});

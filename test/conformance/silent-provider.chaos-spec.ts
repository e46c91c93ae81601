import { delay } from '@app/kernel';
import { DIALECTS, type Dialect, ProviderWorld } from './provider-world';

/** Longer than undici's 300 s for headers and the SDKs' 600 s for a call (FC-04). */
const SILENCE_MS = 620_000;
const LOOKS_AT_MS = [310_000, 610_000];

/** @returns what was seen: slots in use at each look, and the requests at the end. */
async function sitThrough(dialect: Dialect): Promise<{ inUse: number[]; requests: number; text: string }> {
  const world = await ProviderWorld.start(dialect);
  try {
    world.emulator.script([{ action: { delay_ms: SILENCE_MS } }]);
    const parts = await world.process({ QB_ASR_TIMEOUT_MS: 1_800_000, QB_LLM_TIMEOUT_MS: 1_800_000 });
    const asking = world.ask(parts);
    const inUse = await Promise.all(
      LOOKS_AT_MS.map(async (ms) => {
        await Promise.race([delay(ms), asking]);
        const { caps } = await parts.slots.slots.snapshot();
        return caps.reduce((sum, cap) => sum + cap.inUse, 0);
      }),
    );
    const { text } = await asking;
    return { inUse, requests: world.requests, text };
  } finally {
    await world.stop();
  }
}

it(
  'a provider that is silent for 620 s is waited for by one request, its lease renewed throughout',
  async () => {
    const seen = await Promise.all(DIALECTS.map(sitThrough));
    for (const { inUse, requests, text } of seen) {
      expect({ inUse, requests }).toEqual({ inUse: [1, 1], requests: 1 });
      expect(text).not.toBe('');
    }
  },
  SILENCE_MS + 60_000,
);

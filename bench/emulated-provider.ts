import { once } from 'node:events';
import type { EmulatorSettings, EmulatorStats } from '../apps/emulator/src';
import { Product } from '../test/support/product';
import type { BenchWorld } from './bench-world';
import { startProcess } from './contended';

/** The product's own countdowns; its tests shorten them. */
export const PRODUCT_DEFAULTS = {
  QB_REQUEUE_MIN_MS: '20000',
  QB_REQUEUE_MAX_MS: '40000',
  QB_RECONCILE_INTERVAL_MS: '30000',
};

/** The emulator in a process of its own, for as long as the measurement lasts. */
export async function withProvider<T>(
  holdMs: Partial<EmulatorSettings['holdMs']>,
  measure: (url: string) => Promise<T>,
): Promise<T> {
  const provider = startProcess('emulator-process.ts', { holdMs });
  const [url] = (await once(provider, 'message')) as [string];
  try {
    return await measure(url);
  } finally {
    provider.disconnect();
  }
}

/** The whole product in this process, on the provider for both kinds of call, with so many ASR slots. */
export async function withProduct<T>(
  world: BenchWorld,
  { asrSlots, holdMs }: { readonly asrSlots: number; readonly holdMs: Partial<EmulatorSettings['holdMs']> },
  measure: (product: Product, url: string) => Promise<T>,
): Promise<T> {
  world.lendToProducts();
  return withProvider(holdMs, async (url) => {
    const addresses = { QB_ASR_BASE_URL: url, QB_LLM_BASE_URL: url };
    const product = await Product.start({
      env: { ...PRODUCT_DEFAULTS, ...addresses, QB_ASR_CONCURRENCY_LIMIT: String(asrSlots) },
    });
    try {
      return await measure(product, url);
    } finally {
      await product.stop();
    }
  });
}

/** What the provider has seen so far. */
export async function statsOf(url: string): Promise<EmulatorStats> {
  return (await (await fetch(`${url}/emulator/stats`)).json()) as EmulatorStats;
}

import type { LeaseKeeper } from './lease-keeper';
import type { LocalSlots } from './local-slots';
import { RedisOutage } from './redis-outage';
import { SlotDesk } from './slot-desk';
import { SlotsStoppedError } from './slot-errors';
import type { SlotMetrics } from './slot-metrics';
import type { SlotStore } from './slot-store';

describe('SlotDesk', () => {
  it('sends whoever asks while the process stops away, instead of asking a closed connection for ever', async () => {
    const closed = { acquireSlot: () => Promise.reject(new Error('Connection is closed.')) };
    const nothing = () => undefined;
    const outage = new RedisOutage({
      onBegin: nothing,
      probe: () => Promise.resolve(),
      recover: () => Promise.resolve(),
      onEnd: nothing,
    });
    outage.close();
    const desk = new SlotDesk(
      closed as unknown as SlotStore,
      {} as LeaseKeeper,
      {} as LocalSlots,
      () => outage,
      {} as SlotMetrics,
      60_000,
    );
    const request = { placeId: 'a', group: 'g', caps: [{ name: 'asr', limit: 1 }] };
    await expect(desk.ask({ request, mode: 'try' })).rejects.toThrow(SlotsStoppedError);
  });
});

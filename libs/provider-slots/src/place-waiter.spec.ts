import { delay } from '@app/kernel';
import type { Lease } from './lease';
import type { LeaseKeeper, WaiterNudge } from './lease-keeper';
import type { OfferChannel } from './offer-channel';
import { PlaceWaiter } from './place-waiter';
import type { Answer, SlotDesk } from './slot-desk';

const parked: Answer = {
  outcome: 'parked',
  blockedBy: { cap: 'llm', reason: 'cap', limit: 1 },
  retryAfterMs: 1_000,
  ticket: '1',
  turnover: 'llm#0',
};
const lease = { placeId: 'a' } as Lease;

function newWaiter(desk: Pick<SlotDesk, 'ask'>, keeper: object): PlaceWaiter {
  const channel = { open: async () => undefined, name: 'offers' };
  return new PlaceWaiter(
    desk as SlotDesk,
    keeper as LeaseKeeper,
    channel as unknown as OfferChannel,
    () => undefined,
  );
}

describe('waiting in place', () => {
  afterEach(() => jest.useRealTimers());

  it('FC-29: a wake that comes before the answer it belongs to is not lost', async () => {
    let ring: WaiterNudge = () => undefined;
    const keeper = {
      addWaiter: (_placeId: string, nudge: WaiterNudge) => (ring = nudge),
      removeWaiter: () => undefined,
    };
    const answers: Answer[] = [parked, { outcome: 'granted', lease }];
    const desk = {
      ask: async () => {
        // The offer and the answer "wait" travel on two connections.
        if (answers.length === 2) ring();
        return answers.shift()!;
      },
    };
    const waiter = newWaiter(desk, keeper);
    const request = { placeId: 'a', caps: [{ name: 'llm', limit: 1 }], group: 'g' };
    const wait = waiter.wait(request, { maxWaitMs: 5_000 });
    const late = delay(1_000).then(() => 'nobody heard the wake');
    expect(await Promise.race([wait, late])).toBe(lease);
  });

  it('lets sixteen newcomers ask at once, the next when one of them was answered', async () => {
    // A turn also ends by itself after a while, which a busy machine may take to get here.
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] });
    const answers: ((answer: Answer) => void)[] = [];
    const desk = { ask: () => new Promise<Answer>((resolve) => answers.push(resolve)) };
    const keeper = { addWaiter: () => undefined, removeWaiter: () => undefined };
    const waiter = newWaiter(desk, keeper);
    const waits = Array.from({ length: 20 }, (_, index) =>
      waiter.wait({ placeId: `p${index}`, caps: [{ name: 'llm', limit: 1 }], group: 'g' }, { maxWaitMs: 50 }),
    );
    await new Promise(setImmediate);
    expect(answers).toHaveLength(16);
    for (let answered = 0; answered < 20; answered += 1) {
      answers[answered]!(parked);
      await new Promise(setImmediate);
      expect(answers.length).toBe(Math.min(20, 17 + answered));
    }
    waiter.stop();
    await Promise.allSettled(waits);
  });
});

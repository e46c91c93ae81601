import { CallSignal } from './call-signal';

const never = (): Promise<never> => new Promise(() => undefined);

describe('CallSignal', () => {
  it('ends work that does not notice, and says that it was the time', async () => {
    const call = new CallSignal(5, { lease: new AbortController().signal });
    await expect(call.race(never())).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(call.endedBy).toBe('timeout');
  });

  it.each(['caller', 'lease'] as const)(
    'ends with the reason of the %s, also when it came before',
    async (end) => {
      const source = new AbortController();
      source.abort(new Error('gone'));
      const call = new CallSignal(60_000, { lease: new AbortController().signal, [end]: source.signal });
      await expect(call.race(never())).rejects.toThrow('gone');
      expect(call.endedBy).toBe(end);
      call.dispose();
    },
  );

  it('keeps the first of two reasons', () => {
    const caller = new AbortController();
    const lease = new AbortController();
    const call = new CallSignal(60_000, { lease: lease.signal, caller: caller.signal });
    lease.abort(new Error('lost'));
    caller.abort(new Error('gone'));
    expect([call.endedBy, (call.signal.reason as Error).message]).toEqual(['lease', 'lost']);
    call.dispose();
  });

  it('closes what is left open when it is over, without a reason of its own', async () => {
    const call = new CallSignal(60_000, { lease: new AbortController().signal });
    await expect(call.race(Promise.resolve(7))).resolves.toBe(7);
    call.dispose();
    expect([call.signal.aborted, call.endedBy]).toEqual([true, undefined]);
  });
});

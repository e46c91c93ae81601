import { Turns } from './turns';

describe('turns', () => {
  const never = new AbortController().signal;

  async function fill(turns: Turns): Promise<(() => void)[]> {
    return Promise.all([1, 2, 3, 4].map(() => turns.take(never)));
  }

  it('are as many as said, and go on in the order of asking', async () => {
    const turns = new Turns(4, 1_000);
    const held = await fill(turns);
    const came: string[] = [];
    const waiting = ['a', 'b'].map((name) => turns.take(never).then(() => came.push(name)));
    await Promise.resolve();
    expect(came).toEqual([]);
    held[0]!();
    await waiting[0];
    expect(came).toEqual(['a']);
    held[1]!();
    await waiting[1];
    expect(came).toEqual(['a', 'b']);
  });

  it('are given back once, however often it is said', async () => {
    const turns = new Turns(4, 1_000);
    const held = await fill(turns);
    held[0]!();
    held[0]!();
    await turns.take(never);
    const ended = new AbortController();
    const fifth = turns.take(ended.signal);
    ended.abort(new Error('no turn'));
    await expect(fifth).rejects.toThrow('no turn');
  });

  it('end by themselves after their longest time, so that who has to wait long is not in the way', async () => {
    jest.useFakeTimers();
    try {
      const turns = new Turns(4, 1_000);
      await fill(turns);
      const fifth = turns.take(never);
      jest.advanceTimersByTime(1_000);
      await fifth;
    } finally {
      jest.useRealTimers();
    }
  });

  it('pass over who has gone', async () => {
    const turns = new Turns(4, 1_000);
    const held = await fill(turns);
    const gone = new AbortController();
    const leaving = turns.take(gone.signal);
    const staying = turns.take(never);
    gone.abort(new Error('gone'));
    await expect(leaving).rejects.toThrow('gone');
    held[0]!();
    await staying;
  });
});

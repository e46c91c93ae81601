import { HardLimitReachedError } from './generation-errors';
import { HoldLimit } from './hold-limit';

describe('HoldLimit', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('aborts once the slot was held for the limit, with an error that no retry cures', () => {
    const hold = new HoldLimit(1_000);
    hold.start();
    jest.advanceTimersByTime(999);
    expect(hold.signal.aborted).toBe(false);
    jest.advanceTimersByTime(1);
    expect(hold.signal.reason).toBeInstanceOf(HardLimitReachedError);
    expect(hold.signal.reason).toMatchObject({ code: 'provider_timeout', retryable: false });
  });

  it('adds up what each grant held, and leaves out the pauses between', () => {
    const hold = new HoldLimit(1_000);
    hold.start();
    jest.advanceTimersByTime(600);
    hold.stop();
    jest.advanceTimersByTime(60_000);
    expect(hold.signal.aborted).toBe(false);
    hold.start();
    jest.advanceTimersByTime(399);
    expect(hold.signal.aborted).toBe(false);
    jest.advanceTimersByTime(2);
    expect(hold.signal.aborted).toBe(true);
  });

  it('does nothing any more once it is stopped', () => {
    const hold = new HoldLimit(1_000);
    hold.start();
    hold.stop();
    hold.stop();
    jest.advanceTimersByTime(10_000);
    expect(hold.signal.aborted).toBe(false);
  });
});

import { AppConfig } from '@app/config';
import { CapacityExhaustedError } from './job-errors';
import type { ParkingRecord } from './job-payload';
import { ParkingBudget } from './parking-budget';

const OUR_CAP = { cap: 'asr:whisperx:gpu:9000', reason: 'cap', limit: 1 } as const;
const THEIR_NO = {
  cap: 'asr:whisperx:gpu:9000',
  reason: 'gate',
  gateReason: 'rate_limited',
  limit: 1,
} as const;

function setup(): ParkingBudget {
  const settings = { QB_REQUEUE_BUDGET: 3, QB_REQUEUE_MIN_MS: 20_000, QB_REQUEUE_MAX_MS: 40_000 };
  return new ParkingBudget(Object.assign(new AppConfig(), settings));
}

describe('the budget of a parked job', () => {
  function tryInVain(
    budget: ParkingBudget,
    times: number,
    by: typeof OUR_CAP | typeof THEIR_NO,
  ): ParkingRecord {
    let record = budget.charge(undefined, '7', by);
    for (let time = 0; time < times; time += 1) record = budget.charge(record, '7', by);
    return record;
  }

  it('ends after its tries without turnover, and names the wall', () => {
    const budget = setup();
    expect(tryInVain(budget, 3, OUR_CAP)).toEqual({ tries: 3, turnover: '7' });
    for (const [by, wall] of [
      [OUR_CAP, /our cap of 1 .*was full/i],
      [THEIR_NO, /429/],
    ] as const) {
      expect(() => tryInVain(budget, 4, by)).toThrow(CapacityExhaustedError);
      expect(() => tryInVain(budget, 4, by)).toThrow(wall);
    }
  });

  it('begins anew whenever what blocks has moved', () => {
    const budget = setup();
    let record: ParkingRecord | undefined;
    for (let turnover = 0; turnover < 100; turnover += 1) {
      record = budget.charge(record, String(turnover), OUR_CAP);
      record = budget.charge(record, String(turnover), OUR_CAP);
    }
    expect(record).toEqual({ tries: 1, turnover: '99' });
  });
});

describe('the countdown of a parked job', () => {
  it('lies between its bounds, and not always at the same place', () => {
    const budget = setup();
    const countdowns = Array.from({ length: 200 }, () => budget.countdownMs(3_000));
    expect(Math.min(...countdowns)).toBeGreaterThanOrEqual(20_000);
    expect(Math.max(...countdowns)).toBeLessThanOrEqual(40_000);
    expect(new Set(countdowns).size).toBeGreaterThan(100);
  });

  it('is stretched so that a hundred tries a second are never exceeded, however many are parked', () => {
    const budget = setup();
    const countdowns = Array.from({ length: 2_000 }, () => budget.countdownMs(50_000));
    const meanMs = countdowns.reduce((sum, ms) => sum + ms, 0) / countdowns.length;
    expect(50_000 / (meanMs / 1_000)).toBeLessThan(105);
    expect(50_000 / (meanMs / 1_000)).toBeGreaterThan(95);
  });
});

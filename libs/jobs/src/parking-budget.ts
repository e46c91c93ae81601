import { Injectable } from '@nestjs/common';
import { AppConfig } from '@app/config';
import type { BlockedBy } from '@app/provider-slots';
import type { ParkingRecord } from './job-payload';
import { CapacityExhaustedError } from './job-errors';

/** Tries in vain per second and queue: more of them would take the workers' time from work that can run. */
const TRIES_PER_SECOND = 100;

/**
 * Bounds how long a parked job tries in vain:
 *
 *     a try counts only when what blocks had no turnover since the last one
 *
 * so that a queue that moves never fails anyone, however long it is.
 */
@Injectable()
export class ParkingBudget {
  constructor(private readonly config: AppConfig) {}

  /**
   * The record to keep with the job after one more park.
   * @throws CapacityExhaustedError naming the wall, which is what the operator has to change.
   */
  charge(previous: ParkingRecord | undefined, turnover: string, blockedBy: BlockedBy): ParkingRecord {
    if (previous?.turnover !== turnover) return { tries: 0, turnover };
    const tries = previous.tries + 1;
    if (tries > this.config.requeueBudget) throw new CapacityExhaustedError(wallOf(blockedBy, tries - 1));
    return { tries, turnover };
  }

  /**
   * Jittered, so that jobs which parked together do not come back together, and stretched when so many are
   * parked that their tries alone would keep the workers busy: a wake comes to them in any case.
   * @param parked jobs of the queue that are parked
   */
  countdownMs(parked: number): number {
    const { QB_REQUEUE_MIN_MS: min, QB_REQUEUE_MAX_MS: max } = this.config;
    const triesPerSecond = (parked * 1_000) / ((min + max) / 2);
    const stretch = Math.max(1, triesPerSecond / TRIES_PER_SECOND);
    return Math.round((min + Math.random() * (max - min)) * stretch);
  }
}

function wallOf(blockedBy: BlockedBy, tries: number): string {
  if (blockedBy.reason === 'gate') {
    const answer = blockedBy.gateReason === 'overloaded' ? 'it is overloaded' : '429';
    return `The server of ${blockedBy.cap} kept answering ${answer}: given up after ${tries} tries without any progress`;
  }
  return `Our cap of ${blockedBy.limit ?? 'no limit'} on ${blockedBy.cap} was full: given up after ${tries} tries without any progress`;
}

import { Injectable } from '@nestjs/common';
import { Turns } from '@app/kernel';

/** Enough to keep every slot of a free endpoint filling, few enough that those with a slot need not queue behind them. */
const AT_ONCE = 4;

/** An ask is a matter of ms; while Redis is away it waits for a local slot, which must not be in the way of others. */
const LONGEST_MS = 1_000;

/**
 * Lets few attempts at once on their way to their first grant, in one process.
 *
 * A burst puts hundreds of fresh jobs on a full cap, each of which only asks, is parked and goes back. All at once
 * they would keep the process and its connections so busy that a job which was woken, with a slot reserved for it, came
 * to its turn a tenth of a second late. Woken jobs take no turn; who is granted or parked gives its turn back.
 */
@Injectable()
export class FreshTurns extends Turns {
  constructor() {
    super(AT_ONCE, LONGEST_MS);
  }
}

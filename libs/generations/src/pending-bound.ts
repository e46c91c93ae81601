import { Injectable } from '@nestjs/common';
import { AppConfig } from '@app/config';
import { TooManyRequestsError } from '@app/kernel';
import type { EntityManager } from 'typeorm';
import { GenerationStore } from './generation-store';

/** A count older than this is made anew. */
const COUNT_LASTS_MS = 1_000;

/**
 * Of the room that a count found, one process fills a tenth before it counts again, so that counting 50,000
 * rows is not the price of each POST. Near the bound this is nothing, and every POST counts.
 */
const SHARE = 10;

const RETRY_AFTER_MS = 5_000;

interface Room {
  /** How many more may be posted without counting. */
  left: number;
  readonly countedAt: number;
}

/** Keeps one team from filling Redis: so many of its generations may be pending, and no more. */
@Injectable()
export class PendingBound {
  private readonly rooms = new Map<string, Room>();

  constructor(
    private readonly config: AppConfig,
    private readonly store: GenerationStore,
  ) {}

  /**
   * Admits one more generation into the given transaction.
   * @throws TooManyRequestsError
   */
  async admit(manager: EntityManager, teamId: string): Promise<void> {
    const known = this.rooms.get(teamId);
    if (known && known.left > 0 && Date.now() - known.countedAt < COUNT_LASTS_MS) {
      known.left -= 1;
      return;
    }
    // From here to the commit one POST of the team at a time: two that count together would both fit.
    await manager.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`generations:${teamId}`]);
    const max = this.config.QB_GENERATION_MAX_PENDING_PER_TEAM;
    const room = max - (await this.store.countPending(manager, teamId));
    if (room <= 0) {
      this.rooms.delete(teamId);
      throw new TooManyRequestsError(`At most ${max} generations of a team may be pending`, RETRY_AFTER_MS);
    }
    this.rooms.set(teamId, { left: Math.floor(room / SHARE), countedAt: Date.now() });
  }
}

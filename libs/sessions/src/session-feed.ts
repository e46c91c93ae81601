import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { ChangeFeed } from '@app/http';
import { DataSource, In } from 'typeorm';
import { type ProcessingWait, SessionWaits } from './session-waits';
import { Session } from './session.entity';

/** A session as its watchers see it. */
export interface SessionState {
  readonly session: Session;
  readonly wait: ProcessingWait | null;
}

/**
 * Waits that are read from Redis at each look, in turn: so the load on Redis is the same however many
 * people watch, and with 200 waiting sessions each wait is at most some eight seconds old.
 */
const WAITS_PER_LOOK = 6;

/** What sessions of this process's watchers look like now: one query for all of them per look. */
@Injectable()
export class SessionFeed {
  private readonly feed = new ChangeFeed<SessionState>((ids) => this.read(ids));
  private readonly waitsKnown = new Map<string, ProcessingWait | null>();
  private turn = 0;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly waits: SessionWaits,
  ) {}

  /** Calls `tell` soon and at each change, at most four times a second. @returns the way to stop. */
  watch(sessionId: string, tell: (state: SessionState) => void): () => void {
    return this.feed.watch(sessionId, tell);
  }

  private async read(ids: readonly string[]): Promise<ReadonlyMap<string, SessionState>> {
    const sessions = await this.dataSource.manager.findBy(Session, { id: In([...ids]) });
    await this.refreshWaits(sessions);
    return new Map(
      sessions.map((session) => [session.id, { session, wait: this.waitsKnown.get(session.id) ?? null }]),
    );
  }

  private async refreshWaits(sessions: readonly Session[]): Promise<void> {
    const waiting = sessions.filter((session) => this.waits.mayWait(session));
    const present = new Set(waiting.map(({ id }) => id));
    for (const id of this.waitsKnown.keys()) if (!present.has(id)) this.waitsKnown.delete(id);

    const unknown = waiting.filter(({ id }) => !this.waitsKnown.has(id));
    const start = waiting.length > 0 ? this.turn % waiting.length : 0;
    const inTurn = [...waiting.slice(start), ...waiting.slice(0, start)];
    const due = [...new Set([...unknown, ...inTurn])].slice(0, WAITS_PER_LOOK);
    this.turn = start + WAITS_PER_LOOK;
    await Promise.all(
      due.map(async (session) => this.waitsKnown.set(session.id, await this.waits.find(session))),
    );
  }
}

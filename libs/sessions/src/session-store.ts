import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { delay } from '@app/kernel';
import { isDatabaseAway } from '@app/persistence';
import { DataSource, type EntityManager, In, LessThan } from 'typeorm';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity';
import { RecapPart, Recap, Transcript } from './checkpoint.entities';
import { Session } from './session.entity';
import { isTerminal, SESSION_STATUSES, type SessionStatus, statusesBefore } from './session-status';

/** Ten minutes of tries, a second apart. */
const CHECKPOINT_TRIES = 600;
const CHECKPOINT_PAUSE_MS = 1_000;

/** Which sessions a list shows. */
export interface SessionFilter {
  readonly teamId: string;
  readonly campaignId?: string;
  readonly status?: SessionStatus;
}

/** The only SQL about sessions. */
@Injectable()
export class SessionStore {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  transaction<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.dataSource.transaction(work);
  }

  /**
   * A transaction that stores what was paid for: while Postgres is away it is tried again, for ten minutes. The
   * work may have been committed although its connection broke, so it must bear being done twice.
   * @throws the signal's reason
   */
  async checkpoint<T>(work: (manager: EntityManager) => Promise<T>, signal: AbortSignal): Promise<T> {
    for (let triesLeft = CHECKPOINT_TRIES; ; triesLeft -= 1) {
      try {
        return await this.transaction(work);
      } catch (error) {
        if (!isDatabaseAway(error) || triesLeft === 0) throw error;
        await delay(CHECKPOINT_PAUSE_MS, signal);
      }
    }
  }

  /** Undefined also for another team's session: to its caller that is the same. */
  async find(teamId: string, id: string): Promise<Session | undefined> {
    return (await this.dataSource.manager.findOneBy(Session, { id, teamId })) ?? undefined;
  }

  /** Undefined when this run is not the current one any more. */
  async findRun(id: string, run: number): Promise<Session | undefined> {
    return (await this.dataSource.manager.findOneBy(Session, { id, run })) ?? undefined;
  }

  /** Newest first; one row more than `limit` says that there are more. */
  async list(filter: SessionFilter, limit: number, beforeId?: string): Promise<Session[]> {
    return this.dataSource.manager.find(Session, {
      where: {
        teamId: filter.teamId,
        ...(filter.campaignId ? { campaignId: filter.campaignId } : {}),
        ...(filter.status ? { status: filter.status } : {}),
        ...(beforeId ? { id: LessThan(beforeId) } : {}),
      },
      order: { id: 'DESC' },
      take: limit + 1,
    });
  }

  /**
   * Writes columns of a run that is in one of the given states, and nothing otherwise: a cancelled run
   * stays cancelled, and a late attempt of an earlier run changes nothing.
   * @returns whether the row was written.
   */
  async updateRun(
    { id, run }: { id: string; run: number },
    from: readonly SessionStatus[],
    columns: QueryDeepPartialEntity<Session>,
    manager: EntityManager = this.dataSource.manager,
  ): Promise<boolean> {
    const { affected } = await manager.update(
      Session,
      { id, run, status: In([...from]) },
      { ...columns, version: () => 'version + 1' },
    );
    return affected === 1;
  }

  /** `updateRun` into another state, from whichever states lead there. */
  async moveRun(
    ref: { id: string; run: number },
    to: SessionStatus,
    columns: QueryDeepPartialEntity<Session> = {},
    manager?: EntityManager,
  ): Promise<boolean> {
    return this.updateRun(ref, statusesBefore(to), { ...columns, status: to }, manager);
  }

  /** Begins a new run of a session that has ended; false when it has not, or somebody else began one. */
  async startRun(
    session: Session,
    status: 'queued' | 'summarising',
    manager: EntityManager,
  ): Promise<boolean> {
    return this.updateRun(
      session,
      SESSION_STATUSES.filter(isTerminal),
      {
        status,
        run: session.run + 1,
        phase: status === 'queued' ? 'asr' : 'llm',
        ticket: null,
        retryCount: 0,
        errorCode: null,
        errorMessage: null,
        startedAt: null,
        finishedAt: null,
      },
      manager,
    );
  }

  async editLabels(teamId: string, id: string, labels: QueryDeepPartialEntity<Session>): Promise<void> {
    const columns = Object.fromEntries(Object.entries(labels).filter(([, value]) => value !== undefined));
    if (Object.keys(columns).length === 0) return;
    await this.dataSource.manager.update(
      Session,
      { id, teamId },
      { ...columns, version: () => 'version + 1' },
    );
  }

  async remove(teamId: string, id: string): Promise<void> {
    await this.dataSource.manager.delete(Session, { id, teamId });
  }

  async findTranscript(sessionId: string): Promise<Transcript | undefined> {
    return (await this.dataSource.manager.findOneBy(Transcript, { sessionId })) ?? undefined;
  }

  async findRecap(sessionId: string): Promise<Recap | undefined> {
    return (await this.dataSource.manager.findOneBy(Recap, { sessionId })) ?? undefined;
  }

  async findRecapPart(sessionId: string, level: number, part: number): Promise<string | undefined> {
    const found = await this.dataSource.manager.findOneBy(RecapPart, { sessionId, level, part });
    return found?.text;
  }
}

import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { newId } from '@app/kernel';
import { DataSource, type EntityManager, In, LessThan, MoreThan } from 'typeorm';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity';
import { Generation } from './generation.entity';
import type { GenerationStatus } from './generation-status';
import { TASK_EXPIRED } from './generation-errors';

/** What a team asks for. */
export interface GenerationWish {
  readonly prompt: string;
  readonly system?: string;
  readonly model?: string;
  readonly maxOutputTokens?: number;
  readonly jsonSchema?: Record<string, unknown>;
  readonly workflowId?: string;
}

/** Which generations a list shows. */
export interface GenerationFilter {
  readonly teamId: string;
  readonly status?: GenerationStatus;
  readonly workflowId?: string;
}

/** A generation as one attempt finds it; the times are judged by Postgres's clock. */
export interface FoundForAttempt {
  readonly generation: Generation;
  readonly isExpired: boolean;
  /** Time it still has to start in, ms. */
  readonly expiresInMs: number;
}

const EXPIRED = 'started_at IS NULL AND expires_at <= now()';

/** The only SQL about generations. Every write is guarded by `pending`: what has ended stays as it ended. */
@Injectable()
export class GenerationStore {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  transaction<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.dataSource.transaction(work);
  }

  /** @returns the id of the new row */
  async insert(
    manager: EntityManager,
    teamId: string,
    wish: GenerationWish,
    how: {
      readonly id?: string;
      readonly queue: string;
      readonly expiresInMs: number;
      readonly preview: boolean;
    },
  ): Promise<string> {
    const id = how.id ?? newId();
    await manager.insert(Generation, {
      id,
      teamId,
      status: 'pending',
      prompt: wish.prompt,
      system: wish.system ?? null,
      model: wish.model ?? null,
      maxOutputTokens: wish.maxOutputTokens ?? null,
      jsonSchema: (wish.jsonSchema ?? null) as QueryDeepPartialEntity<Generation>['jsonSchema'],
      workflowId: wish.workflowId ?? null,
      queue: how.queue,
      preview: how.preview,
      // By Postgres's clock, like every judgement about it.
      expiresAt: () => `now() + interval '${Math.round(how.expiresInMs)} milliseconds'`,
    });
    return id;
  }

  /** Undefined also for another team's generation: to its caller that is the same. */
  async find(teamId: string, id: string): Promise<Generation | undefined> {
    return (await this.dataSource.manager.findOneBy(Generation, { id, teamId })) ?? undefined;
  }

  async findAny(id: string): Promise<Generation | undefined> {
    return (await this.dataSource.manager.findOneBy(Generation, { id })) ?? undefined;
  }

  /** Newest first; one row more than `limit` says that there are more. */
  async list(filter: GenerationFilter, limit: number, beforeId?: string): Promise<Generation[]> {
    return this.dataSource.manager.find(Generation, {
      where: {
        teamId: filter.teamId,
        ...(filter.status ? { status: filter.status } : {}),
        ...(filter.workflowId ? { workflowId: filter.workflowId } : {}),
        ...(beforeId ? { id: LessThan(beforeId) } : {}),
      },
      order: { id: 'DESC' },
      take: limit + 1,
    });
  }

  /** Undefined when it is gone or has ended. */
  async findForAttempt(id: string): Promise<FoundForAttempt | undefined> {
    const { entities, raw } = await this.dataSource.manager
      .createQueryBuilder(Generation, 'generation')
      .addSelect(EXPIRED, 'is_expired')
      .addSelect('(extract(epoch FROM expires_at - now()) * 1000)::float8', 'expires_in_ms')
      .where({ id, status: 'pending' })
      .getRawAndEntities<{ is_expired: boolean; expires_in_ms: number }>();
    const [generation] = entities;
    const [times] = raw;
    if (!generation || !times) return undefined;
    return {
      generation,
      isExpired: times.is_expired,
      expiresInMs: Math.max(1, Math.ceil(times.expires_in_ms)),
    };
  }

  /**
   * Notes a grant, before anything is sent.
   * @returns false when it has ended or expired in the meantime: nothing may be sent then
   */
  async noteGrant(
    id: string,
    grant: { readonly leaseId: string; readonly ticket: string },
  ): Promise<boolean> {
    const { affected } = await this.dataSource.manager
      .createQueryBuilder()
      .update(Generation)
      .set({ ...grant, startedAt: () => 'coalesce(started_at, now())' })
      .where({ id, status: 'pending' })
      .andWhere(`NOT (${EXPIRED})`)
      .execute();
    return affected === 1;
  }

  /** Counts one attempt that was put back, or one refusal waited out in place. */
  async noteWait(id: string, ticket: string | undefined): Promise<void> {
    const columns = { retryCount: () => 'retry_count + 1', ...(ticket === undefined ? {} : { ticket }) };
    await this.dataSource.manager.update(Generation, { id, status: 'pending' }, columns);
  }

  /**
   * Ends a generation that is pending, under the given lease where one is given.
   * @returns what the end has to know of it, or undefined when it had ended before or another lease is the right one
   */
  async end(
    manager: EntityManager,
    { id, leaseId }: { readonly id: string; readonly leaseId?: string },
    columns: QueryDeepPartialEntity<Generation> & { readonly status: GenerationStatus },
  ): Promise<Pick<Generation, 'teamId' | 'retryCount' | 'preview'> | undefined> {
    const { raw } = (await manager
      .createQueryBuilder()
      .update(Generation)
      .set({ ...columns, finishedAt: () => 'now()' })
      .where({ id, status: 'pending', ...(leaseId === undefined ? {} : { leaseId }) })
      .returning('team_id, retry_count, preview')
      .execute()) as { raw: Array<{ team_id: string; retry_count: number; preview: boolean }> };
    const [row] = raw;
    return row && { teamId: row.team_id, retryCount: row.retry_count, preview: row.preview };
  }

  /** The row, held against everybody else until the transaction ends. */
  async lock(manager: EntityManager, id: string): Promise<Generation | undefined> {
    const row = await manager.findOne(Generation, { where: { id }, lock: { mode: 'pessimistic_write' } });
    return row ?? undefined;
  }

  /** Ends up to `limit` of those whose time is over and that never started; safe in many processes at once. */
  async expire(limit: number): Promise<Array<Pick<Generation, 'id' | 'queue' | 'preview'>>> {
    const { raw } = (await this.dataSource.manager
      .createQueryBuilder()
      .update(Generation)
      .set({ status: 'failed', ...TASK_EXPIRED, finishedAt: () => 'now()' })
      .where(
        `id IN (SELECT id FROM generations WHERE status = 'pending' AND ${EXPIRED}
           ORDER BY expires_at LIMIT :limit FOR UPDATE SKIP LOCKED)`,
        { limit },
      )
      .returning('id, queue, preview')
      .execute()) as { raw: Array<Pick<Generation, 'id' | 'queue' | 'preview'>> };
    return raw;
  }

  async countPending(manager: EntityManager, teamId: string): Promise<number> {
    return manager.countBy(Generation, { teamId, status: 'pending' });
  }

  /** Those that have not ended, in the order of their ids. */
  async listPending(afterId: string | undefined, limit: number): Promise<Generation[]> {
    return this.dataSource.manager.find(Generation, {
      select: { id: true, teamId: true, queue: true, createdAt: true, startedAt: true },
      where: { status: 'pending', ...(afterId ? { id: MoreThan(afterId) } : {}) },
      order: { id: 'ASC' },
      take: limit,
    });
  }

  /** Of the given ids, those that have not ended. */
  async findPending(ids: readonly string[]): Promise<string[]> {
    if (ids.length === 0) return [];
    const rows = await this.dataSource.manager.find(Generation, {
      select: { id: true },
      where: { id: In([...ids]), status: 'pending' },
    });
    return rows.map(({ id }) => id);
  }
}

import { Injectable } from '@nestjs/common';
import { AppConfig } from '@app/config';
import { Idempotency } from '@app/http';
import { ConflictError, newId, NotFoundError } from '@app/kernel';
import { JsonAnswer } from '@app/providers';
import { GenerationEndings } from './generation-endings';
import { GenerationQueue } from './generation-queue';
import { GenerationStore, type GenerationWish } from './generation-store';
import type { Generation } from './generation.entity';
import { PendingBound } from './pending-bound';

/** How a generation is posted, beside what it asks for. */
export interface Posting {
  readonly expiresInMs?: number;
  /** The same key with the same wish gives the same generation. */
  readonly idempotencyKey?: string;
}

/** What a team does with generations. Another team's is not found, whatever is done to it. */
@Injectable()
export class Generations {
  constructor(
    private readonly config: AppConfig,
    private readonly store: GenerationStore,
    private readonly idempotency: Idempotency,
    private readonly bound: PendingBound,
    private readonly queue: GenerationQueue,
    private readonly endings: GenerationEndings,
  ) {}

  /**
   * Row first, then the queue: once this returns, the generation will be processed or expire.
   * @throws BadJsonSchemaError, TooManyRequestsError, ConflictError
   */
  async create(teamId: string, wish: GenerationWish, posting: Posting = {}): Promise<Generation> {
    const expiresInMs = posting.expiresInMs ?? this.config.QB_GENERATION_EXPIRES_SECONDS * 1_000;
    const { generation, isNew } = await this.insert(teamId, wish, {
      scope: 'generations',
      key: posting.idempotencyKey,
      // Not the default: it may change between a request and its repetition.
      fingerprinted: { ...wish, expiresInMs: posting.expiresInMs },
      expiresInMs,
      preview: false,
    });
    if (isNew) await this.queue.enqueue(generation);
    return generation;
  }

  /**
   * A generation whose end somebody waits for. Redis must be there.
   * @throws QueueUnavailableError, after it was given up; BadJsonSchemaError, TooManyRequestsError, ConflictError
   */
  async createPreview(
    teamId: string,
    wish: GenerationWish,
    deadlineMs: number,
    idempotencyKey?: string,
  ): Promise<Generation> {
    const { generation, isNew } = await this.insert(teamId, wish, {
      scope: 'previews',
      key: idempotencyKey,
      fingerprinted: { ...wish },
      expiresInMs: deadlineMs,
      preview: true,
    });
    if (!isNew) return generation;
    try {
      await this.queue.enqueueNow(generation);
    } catch (error) {
      await this.endings.cancel(generation.id);
      throw error;
    }
    return generation;
  }

  /** @throws NotFoundError */
  async get(teamId: string, id: string): Promise<Generation> {
    const generation = await this.store.find(teamId, id);
    if (!generation) throw new NotFoundError('generation');
    return generation;
  }

  /** @throws NotFoundError, ConflictError when it has ended already */
  async cancel(teamId: string, id: string): Promise<Generation> {
    const generation = await this.get(teamId, id);
    if (!(await this.endings.cancel(id))) throw new ConflictError('The generation has ended already');
    await this.queue.withdraw(generation);
    return this.get(teamId, id);
  }

  private async insert(
    teamId: string,
    wish: GenerationWish,
    how: {
      readonly scope: string;
      readonly key?: string;
      readonly fingerprinted: object;
      readonly expiresInMs: number;
      readonly preview: boolean;
    },
  ): Promise<{ generation: Generation; isNew: boolean }> {
    // Compiled only to refuse a bad one now instead of in a job.
    if (wish.jsonSchema) new JsonAnswer(wish.jsonSchema);
    const id = newId();
    const earlierId = await this.store.transaction(async (manager) => {
      if (how.key !== undefined) {
        const claim = { teamId, scope: how.scope, key: how.key, content: how.fingerprinted, resourceId: id };
        const earlier = await this.idempotency.claim(manager, claim);
        if (earlier) return earlier;
      }
      await this.bound.admit(manager, teamId);
      await this.store.insert(manager, teamId, wish, {
        id,
        expiresInMs: how.expiresInMs,
        preview: how.preview,
        queue: this.config.QB_GENERATION_QUEUE,
      });
      return undefined;
    });
    return { generation: await this.get(teamId, earlierId ?? id), isNew: earlierId === undefined };
  }
}

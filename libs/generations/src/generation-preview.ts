import { Injectable } from '@nestjs/common';
import { AppConfig } from '@app/config';
import { GenerationEndings } from './generation-endings';
import { GenerationEndedError, PreviewDeadlineExceededError } from './generation-errors';
import { GenerationNews } from './generation-news';
import { GenerationQueue } from './generation-queue';
import { GenerationStore, type GenerationWish } from './generation-store';
import type { Generation } from './generation.entity';
import { Generations } from './generations';

/** In case the news of an end got lost. */
const LOOK_EVERY_MS = 500;

/** A generation that is posted and waited for, within one request. */
@Injectable()
export class GenerationPreview {
  constructor(
    private readonly config: AppConfig,
    private readonly generations: Generations,
    private readonly store: GenerationStore,
    private readonly endings: GenerationEndings,
    private readonly queue: GenerationQueue,
    private readonly news: GenerationNews,
  ) {}

  /**
   * The completed generation. When the client goes away it is cancelled, and past the deadline given up; a call
   * that runs then is aborted.
   *
   * @throws PreviewDeadlineExceededError, GenerationEndedError with the generation's own code,
   *   QueueUnavailableError and whatever posting throws
   */
  async run(
    teamId: string,
    wish: GenerationWish,
    client: AbortSignal,
    idempotencyKey?: string,
  ): Promise<Generation> {
    const deadlineMs = this.config.QB_PREVIEW_DEADLINE_MS;
    const deadlineAt = performance.now() + deadlineMs;
    const generation = await this.generations.createPreview(teamId, wish, deadlineMs, idempotencyKey);
    const { id } = generation;
    const leftMs = deadlineAt - performance.now();
    const end = await this.waitForEnd(id, leftMs, client);
    if (end === 'client gone') await this.giveUp(generation, () => this.endings.cancel(id));
    if (end === 'too late') {
      await this.giveUp(generation, () =>
        this.endings.fail(id, new PreviewDeadlineExceededError(deadlineMs)),
      );
    }
    return this.outcomeOf(await this.generations.get(teamId, id), deadlineMs);
  }

  private async giveUp(generation: Generation, writeEnd: () => Promise<boolean>): Promise<void> {
    if (await writeEnd()) await this.queue.withdraw(generation);
  }

  private async waitForEnd(
    id: string,
    ms: number,
    client: AbortSignal,
  ): Promise<'ended' | 'too late' | 'client gone'> {
    const cleanUps: Array<() => void> = [];
    try {
      return await new Promise((resolve) => {
        const look = (): void => {
          this.store.findPending([id]).then(
            (pending) => pending.length === 0 && resolve('ended'),
            () => undefined,
          );
        };
        const onGone = (): void => resolve('client gone');
        const deadline = setTimeout(() => resolve('too late'), Math.max(0, ms));
        const looking = setInterval(look, LOOK_EVERY_MS);
        client.addEventListener('abort', onGone, { once: true });
        cleanUps.push(
          this.news.whenEnded(id, () => resolve('ended')),
          () => clearTimeout(deadline),
          () => clearInterval(looking),
          () => client.removeEventListener('abort', onGone),
        );
        if (client.aborted) onGone();
        // It may have ended before anybody listened.
        look();
      });
    } finally {
      for (const cleanUp of cleanUps) cleanUp();
    }
  }

  private outcomeOf(generation: Generation, deadlineMs: number): Generation {
    const { id, status, errorCode, errorMessage } = generation;
    if (status === 'completed') return generation;
    if (errorCode === 'task_expired' || errorCode === 'preview_deadline_exceeded') {
      throw new PreviewDeadlineExceededError(deadlineMs);
    }
    if (status === 'cancelled') throw new GenerationEndedError(id, 'conflict', 'The preview was cancelled');
    throw new GenerationEndedError(
      id,
      errorCode ?? 'internal_error',
      errorMessage ?? 'The generation failed',
    );
  }
}

import { Injectable, Logger } from '@nestjs/common';
import { WorkerLostError } from '@app/jobs';
import { AppError } from '@app/kernel';
import { Metrics } from '@app/observability';
import { ProviderSlots } from '@app/provider-slots';
import type { Meter, ProseResult, StructuredResult } from '@app/providers';
import { type Meter as UsageMeter, UsageRecorder } from '@app/usage';
import type { QueryDeepPartialEntity } from 'typeorm/query-builder/QueryPartialEntity';
import { GenerationNews } from './generation-news';
import { placeOf } from './generation-place';
import { GenerationQueue } from './generation-queue';
import { GenerationStore } from './generation-store';
import type { Generation } from './generation.entity';

/** How many of those that expired at one moment are ended by one statement. */
const EXPIRY_BATCH = 1_000;

/** Writes the end of a generation: its state, its one usage row, and nothing left in queue or slots. */
@Injectable()
export class GenerationEndings {
  private readonly logger = new Logger(GenerationEndings.name);

  constructor(
    private readonly store: GenerationStore,
    private readonly usage: UsageRecorder,
    private readonly queue: GenerationQueue,
    private readonly slots: ProviderSlots,
    private readonly news: GenerationNews,
    private readonly metrics: Metrics,
  ) {}

  /** Stores the text, if the lease it was made under is still the right one; else only what it cost. */
  async complete(
    generation: Generation,
    leaseId: string,
    result: ProseResult & Partial<StructuredResult>,
  ): Promise<void> {
    const completed = await this.end(
      { id: generation.id, leaseId },
      {
        status: 'completed',
        text: storable(result.text),
        json: result.json as QueryDeepPartialEntity<Generation>['json'],
        answeredBy: result.model,
        inputTokens: result.meter.inputTokens,
        outputTokens: result.meter.outputTokens,
      },
      result.meter,
    );
    if (!completed) await this.noteConsumed(generation.id, leaseId, result.meter);
  }

  /** Ends it as failed, with the code and message that its team will read. */
  async fail(id: string, error: unknown): Promise<boolean> {
    const { code, message } = describeFailure(error);
    if (code === 'internal_error') this.logger.error(error);
    const ended = await this.end({ id }, { status: 'failed', errorCode: code, errorMessage: message });
    // Its last attempt died with its slots in its hands, which nobody else will give back.
    if (error instanceof WorkerLostError) await this.slots.drop(placeOf(id)).catch(() => undefined);
    return ended;
  }

  /** Ends it as cancelled; it gets a usage row only if it had consumed something. */
  async cancel(id: string): Promise<boolean> {
    return this.end({ id }, { status: 'cancelled' });
  }

  /** Ends all whose time was over before they started: unbilled, and gone from queue and slots. */
  async expireDue(): Promise<number> {
    const all: Array<Pick<Generation, 'id' | 'queue'>> = [];
    for (;;) {
      const expired = await this.store.expire(EXPIRY_BATCH);
      for (const { id, preview } of expired) if (preview) this.news.tellEnded(id);
      all.push(...expired);
      if (expired.length < EXPIRY_BATCH) break;
    }
    if (all.length > 0) this.metrics.generationsFinishedTotal.inc({ outcome: 'expired' }, all.length);
    // Rows first, all of them: a job that starts before it is removed finds that its row has ended.
    for (let start = 0; start < all.length; start += EXPIRY_BATCH) {
      await Promise.all(all.slice(start, start + EXPIRY_BATCH).map((one) => this.queue.remove(one)));
    }
    return all.length;
  }

  /**
   * Keeps what a send consumed that gave no result. Of a generation that has ended by now the usage row is
   * corrected; a predecessor whose lease was taken over writes nothing.
   */
  async noteConsumed(id: string, leaseId: string, meter: Meter): Promise<void> {
    const late = { step: `llm:${leaseId}`, meter: { kind: 'llm', ...meter } satisfies UsageMeter };
    await this.store.transaction(async (manager) => {
      const generation = await this.store.lock(manager, id);
      if (generation?.leaseId !== leaseId) return;
      if (generation.status === 'pending') {
        await this.usage.recordGenerationStep(manager, id, late.step, late.meter);
      } else {
        const ref = { generationId: id, teamId: generation.teamId };
        await this.usage.recordLateGeneration(manager, ref, generation.status, generation.retryCount, late);
      }
    });
  }

  private async end(
    which: { readonly id: string; readonly leaseId?: string },
    columns: QueryDeepPartialEntity<Generation> & { readonly status: 'completed' | 'failed' | 'cancelled' },
    meter?: Meter,
  ): Promise<boolean> {
    const { id } = which;
    const ended = await this.store.transaction(async (manager) => {
      const row = await this.store.end(manager, which, columns);
      if (!row) return undefined;
      const last = meter && { kind: 'llm' as const, ...meter };
      const ref = { generationId: id, teamId: row.teamId };
      await this.usage.recordGeneration(manager, ref, columns.status, row.retryCount, last);
      return row;
    });
    if (!ended) return false;
    // What completed has given its slots back already, and waits for nothing.
    if (columns.status !== 'completed') await this.slots.leave(placeOf(id)).catch(() => undefined);
    this.metrics.generationsFinishedTotal.inc({ outcome: columns.status });
    if (ended.preview) this.news.tellEnded(id);
    return true;
  }
}

/** Postgres stores every character but one. */
function storable(text: string): string {
  return text.replaceAll('\u0000', '');
}

function describeFailure(error: unknown): { code: string; message: string } {
  if (error instanceof AppError) return { code: error.code, message: error.message };
  return { code: 'internal_error', message: 'Something went wrong on our side; the fault is in the log' };
}

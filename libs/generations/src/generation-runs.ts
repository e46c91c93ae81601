import { Injectable, type OnModuleInit } from '@nestjs/common';
import { GENERATION_QUEUE, jobIdOf, Reconciler, type RunSource, type UnfinishedRun } from '@app/jobs';
import { generationOfPlace, placeOf } from './generation-place';
import { ONLY_RUN } from './generation-queue';
import { GenerationStore } from './generation-store';

/** Tells the reconciler which generations have not ended. */
@Injectable()
export class GenerationRuns implements RunSource, OnModuleInit {
  readonly name = 'generation';
  readonly roles = [GENERATION_QUEUE] as const;

  constructor(
    private readonly store: GenerationStore,
    private readonly reconciler: Reconciler,
  ) {}

  onModuleInit(): void {
    this.reconciler.watch(this);
  }

  async listUnfinished(afterRowId: string | undefined, limit: number): Promise<UnfinishedRun[]> {
    const pending = await this.store.listPending(afterRowId, limit);
    return pending.map(({ id, teamId, queue, createdAt, startedAt }) => ({
      rowId: id,
      run: ONLY_RUN,
      teamId,
      role: GENERATION_QUEUE,
      queueName: queue,
      mayHoldSlot: startedAt !== null,
      placeId: placeOf(id),
      enqueuedAtMs: createdAt.getTime(),
    }));
  }

  async findUnfinished(runs: ReadonlyArray<{ rowId: string; run: number }>): Promise<ReadonlySet<string>> {
    const pending = await this.store.findPending(runs.map(({ rowId }) => rowId));
    return new Set(pending.map((id) => jobIdOf(id, ONLY_RUN)));
  }

  runOfPlace(placeId: string): { rowId: string; run: number } | undefined {
    const rowId = generationOfPlace(placeId);
    return rowId === undefined ? undefined : { rowId, run: ONLY_RUN };
  }
}

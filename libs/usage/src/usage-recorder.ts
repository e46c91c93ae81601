import { Injectable } from '@nestjs/common';
import { newId } from '@app/kernel';
import type { EntityManager } from 'typeorm';
import { type Meter, sumMeters } from './meter';
import { MeterLine } from './meter-line.entity';
import { GenerationUsage, RequestUsage, SessionUsage } from './usage-row.entity';

/** The run that a row is about. */
export interface RunRef {
  readonly sessionId: string;
  readonly run: number;
  readonly teamId: string;
}

/** The generation that a row is about. */
export interface GenerationRef {
  readonly generationId: string;
  readonly teamId: string;
}

/**
 * Writes the ledger. Every method takes the caller's transaction, so that a checkpoint and its meter line,
 * or an end and its row, are stored together or not at all.
 */
@Injectable()
export class UsageRecorder {
  /** Keeps what a checkpointed call consumed; the same step of the same run counts once. */
  async recordStep(
    manager: EntityManager,
    { sessionId, run }: RunRef,
    step: string,
    meter: Meter,
  ): Promise<void> {
    await manager
      .createQueryBuilder()
      .insert()
      .into(MeterLine)
      .values({ id: newId(), sessionId, run, step, ...meter })
      .orIgnore()
      .execute();
  }

  /**
   * Writes the one row of a run that completed or failed, also when it consumed nothing; a cancelled run
   * gets one only if it consumed something. A second writer changes nothing.
   */
  async recordRun(manager: EntityManager, ref: RunRef, status: string, retryCount: number): Promise<void> {
    const lines = await manager.findBy(MeterLine, { sessionId: ref.sessionId, run: ref.run });
    if (status === 'cancelled' && lines.length === 0) return;
    await manager
      .createQueryBuilder()
      .insert()
      .into(SessionUsage)
      .values({ id: newId(), ...ref, status, retryCount, ...sumMeters(lines) })
      .orIgnore()
      .execute();
  }

  /**
   * Adds what turned out to be consumed by a run that had ended before its answer came: its amounts are real all
   * the same. Its row is written anew from all meter lines, so doing it twice changes nothing.
   * @param status of a run that had no row, since it had consumed nothing until now
   */
  async recordLateRun(
    manager: EntityManager,
    ref: RunRef,
    status: string,
    retryCount: number,
    late: { readonly step: string; readonly meter: Meter },
  ): Promise<void> {
    const { sessionId, run } = ref;
    await this.recordStep(manager, ref, late.step, late.meter);
    const sums = sumMeters(await manager.findBy(MeterLine, { sessionId, run }));
    const { affected } = await manager.update(SessionUsage, { sessionId, run }, { ...sums });
    if (!affected) await this.recordRun(manager, ref, status, retryCount);
  }

  /** Keeps what a send of a generation consumed although it gave no result; the same step counts once. */
  async recordGenerationStep(
    manager: EntityManager,
    generationId: string,
    step: string,
    meter: Meter,
  ): Promise<void> {
    await manager
      .createQueryBuilder()
      .insert()
      .into(MeterLine)
      .values({ id: newId(), generationId, run: 1, step, ...meter })
      .orIgnore()
      .execute();
  }

  /**
   * Writes the one row of a generation that completed or failed, also when it consumed nothing; a cancelled
   * one gets a row only if it consumed something. `last` is the call that ended it, the meter lines are what
   * went before. A second writer changes nothing.
   */
  async recordGeneration(
    manager: EntityManager,
    ref: GenerationRef,
    status: string,
    retryCount: number,
    last?: Meter,
  ): Promise<void> {
    const { generationId } = ref;
    const meters: Meter[] = await manager.findBy(MeterLine, { generationId });
    if (last) meters.push(last);
    if (status === 'cancelled' && meters.length === 0) return;
    await manager
      .createQueryBuilder()
      .insert()
      .into(GenerationUsage)
      .values({ id: newId(), ...ref, status, retryCount, ...sumMeters(meters) })
      .orIgnore()
      .execute();
  }

  /**
   * Adds what turned out to be consumed by a generation that had ended before its answer came: its amounts are
   * real all the same. The row is written anew from all meter lines, so doing it twice changes nothing.
   */
  async recordLateGeneration(
    manager: EntityManager,
    ref: GenerationRef,
    status: string,
    retryCount: number,
    late: { readonly step: string; readonly meter: Meter },
  ): Promise<void> {
    const { generationId } = ref;
    await this.recordGenerationStep(manager, generationId, late.step, late.meter);
    const sums = sumMeters(await manager.findBy(MeterLine, { generationId }));
    const { affected } = await manager.update(GenerationUsage, { generationId }, { ...sums });
    if (!affected) await this.recordGeneration(manager, ref, status, retryCount);
  }

  /** Writes the row of a call made inside a request. */
  async recordRequest(
    manager: EntityManager,
    request: { teamId: string; sessionId: string | null; purpose: string; status: string },
    meters: readonly Meter[],
  ): Promise<void> {
    await manager.insert(RequestUsage, { id: newId(), ...request, retryCount: 0, ...sumMeters(meters) });
  }
}

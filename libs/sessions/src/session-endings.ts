import { Injectable, Logger } from '@nestjs/common';
import { AppError } from '@app/kernel';
import { Metrics } from '@app/observability';
import { ProviderSlots } from '@app/provider-slots';
import { type Meter, UsageRecorder } from '@app/usage';
import type { EntityManager } from 'typeorm';
import { placesOf } from './session-places';
import { isTerminal } from './session-status';
import { SessionStore } from './session-store';
import { Session } from './session.entity';

/** Writes the end of a run: its state, its one usage row, and nothing left in the queue of slots. */
@Injectable()
export class SessionEndings {
  private readonly logger = new Logger(SessionEndings.name);

  constructor(
    private readonly store: SessionStore,
    private readonly usage: UsageRecorder,
    private readonly slots: ProviderSlots,
    private readonly metrics: Metrics,
  ) {}

  /**
   * Ends a run as completed, together with what `alsoStore` stores.
   * @returns false when the run had ended in another way before; nothing is stored then.
   */
  async complete(
    session: Session,
    alsoStore: (manager: EntityManager) => Promise<void>,
    signal: AbortSignal,
  ): Promise<boolean> {
    return this.end(session, 'completed', {}, { alsoStore, signal });
  }

  /** Ends a run as failed, with the code and message that people will read. */
  async fail(sessionId: string, run: number, error: unknown): Promise<void> {
    const session = await this.store.findRun(sessionId, run);
    if (!session) return;
    const { code, message } = describeFailure(error);
    if (code === 'internal_error') this.logger.error(error);
    if (!(await this.end(session, 'failed', { errorCode: code, errorMessage: message }))) return;
    // Its last attempt may have died with a slot in its hands, which nobody else will give back.
    await Promise.all(placesOf(sessionId, run).map((place) => this.slots.drop(place).catch(() => undefined)));
  }

  /** Ends a run as cancelled; it gets a usage row only if it had consumed something. */
  async cancel(session: Session): Promise<boolean> {
    return this.end(session, 'cancelled', {});
  }

  /**
   * A result came for a run that had ended in another way: paid for and dropped, the amounts are real all the
   * same. Where the run goes on, another attempt of it stored its own result, and this one writes nothing.
   * @returns whether the run goes on
   */
  async dropResult(session: Session, late: { step: string; meter: Meter }): Promise<boolean> {
    const { id, run, teamId } = session;
    const current = await this.store.findRun(id, run);
    if (current && !isTerminal(current.status)) return true;
    const ref = { sessionId: id, run, teamId };
    const { retryCount } = current ?? session;
    await this.store.transaction((manager) =>
      this.usage.recordLateRun(manager, ref, 'cancelled', retryCount, late),
    );
    return false;
  }

  private async end(
    session: Session,
    status: 'completed' | 'failed' | 'cancelled',
    columns: { errorCode?: string; errorMessage?: string },
    paidFor?: { alsoStore: (manager: EntityManager) => Promise<void>; signal: AbortSignal },
  ): Promise<boolean> {
    const { id, run, teamId } = session;
    const write = async (manager: EntityManager): Promise<boolean> => {
      const finish = { ...columns, phase: null, finishedAt: new Date() };
      if (!(await this.store.moveRun(session, status, finish, manager))) return false;
      await paidFor?.alsoStore(manager);
      const current = await manager.findOneByOrFail(Session, { id });
      await this.usage.recordRun(manager, { sessionId: id, run, teamId }, status, current.retryCount);
      return true;
    };
    const ended = paidFor
      ? await this.store.checkpoint(write, paidFor.signal)
      : await this.store.transaction(write);
    await Promise.all(placesOf(id, run).map((placeId) => this.slots.leave(placeId).catch(() => undefined)));
    if (ended) this.metrics.sessionsFinishedTotal.inc({ outcome: status });
    return ended;
  }
}

function describeFailure(error: unknown): { code: string; message: string } {
  if (error instanceof AppError) return { code: error.code, message: error.message };
  return { code: 'internal_error', message: 'Something went wrong on our side; the fault is in the log' };
}

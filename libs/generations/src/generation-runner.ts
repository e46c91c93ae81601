import { Injectable } from '@nestjs/common';
import { AppConfig } from '@app/config';
import { JobCancelledError, jobIdOf, type JobPayload, wakeOf } from '@app/jobs';
import { SlotParkedError } from '@app/provider-slots';
import { consumedBy, ProviderDispatch, type ProseResult, type StructuredResult } from '@app/providers';
import { GenerationEndings } from './generation-endings';
import { GenerationLimits } from './generation-limits';
import { placeOf } from './generation-place';
import { GenerationStore } from './generation-store';
import type { Generation } from './generation.entity';
import { HoldLimit } from './hold-limit';

/** One execution of a generation's job. */
export interface GenerationAttempt {
  readonly payload: JobPayload;
  /** Queue that the job is in, where a wake finds it again. */
  readonly queueName: string;
  readonly signal: AbortSignal;
  /** Called at each grant. */
  readonly onGranted: () => void;
  /** Called when the generation gets its first slot ever. */
  readonly onStarted: () => Promise<void>;
}

/** From a pending row to its text: one call, two where a JSON answer has to be repaired. */
@Injectable()
export class GenerationRunner {
  constructor(
    private readonly config: AppConfig,
    private readonly store: GenerationStore,
    private readonly endings: GenerationEndings,
    private readonly limits: GenerationLimits,
    private readonly providers: ProviderDispatch,
  ) {}

  /** @throws SlotParkedError, after the row says so; HardLimitReachedError; and what the provider threw. */
  async run(attempt: GenerationAttempt): Promise<void> {
    const found = await this.store.findForAttempt(attempt.payload.rowId);
    // A job may outlive what it was for: cancelled, expired, or completed by an attempt that died just after.
    if (!found) return;
    if (found.isExpired) return void (await this.endings.expireDue());

    const { generation } = found;
    const hold = new HoldLimit(this.config.QB_GENERATION_HARD_LIMIT_MS);
    const granted: { leaseId?: string } = {};
    try {
      const result = await this.generate(attempt, found, hold, granted);
      await this.endings.complete(generation, granted.leaseId ?? '', result);
    } catch (error) {
      if (error instanceof SlotParkedError) await this.store.noteWait(generation.id, error.ticket);
      const meter = consumedBy(error);
      if (meter && granted.leaseId) await this.endings.noteConsumed(generation.id, granted.leaseId, meter);
      throw error;
    } finally {
      hold.stop();
    }
  }

  private async generate(
    attempt: GenerationAttempt,
    { generation, expiresInMs }: { readonly generation: Generation; readonly expiresInMs: number },
    hold: HoldLimit,
    granted: { leaseId?: string },
  ): Promise<ProseResult & Partial<StructuredResult>> {
    const { id, teamId, startedAt } = generation;
    const { payload, queueName, signal, onGranted, onStarted } = attempt;
    const call = {
      use: 'generation' as const,
      system: generation.system ?? undefined,
      prompt: generation.prompt,
      model: generation.model ?? undefined,
      maxOutputTokens: generation.maxOutputTokens ?? undefined,
      place: {
        placeId: placeOf(id),
        ticket: generation.ticket ?? undefined,
        group: teamId,
        wake: wakeOf(queueName, jobIdOf(id, payload.run)),
        // What has started does not expire, however often it has to ask again.
        ...(startedAt ? {} : { expiresInMs }),
        extraCaps: this.limits.capsOf(teamId),
        leaseMs: this.config.QB_GENERATION_LEASE_MS,
      },
      signal: AbortSignal.any([signal, hold.signal]),
      onGranted: async (grant: { readonly leaseId: string; readonly ticket: string }) => {
        onGranted();
        granted.leaseId = grant.leaseId;
        if (!(await this.store.noteGrant(id, grant))) throw new JobCancelledError();
        if (!startedAt) await onStarted();
        hold.start();
      },
      onReleased: () => hold.stop(),
      onPause: () => void this.store.noteWait(id, undefined).catch(() => undefined),
    };
    const { jsonSchema: schema } = generation;
    return schema
      ? this.providers.generateStructuredText({ ...call, schema })
      : this.providers.dispatchProse(call);
  }
}

import { Injectable, Logger } from '@nestjs/common';
import { AppConfig } from '@app/config';
import { JobCancelledError, jobIdOf, JobQueues, type JobPayload, SUMMARISE_QUEUE, wakeOf } from '@app/jobs';
import { SlotParkedError } from '@app/provider-slots';
import { ProviderDispatch, type ProseResult } from '@app/providers';
import { UsageRecorder } from '@app/usage';
import { Recap, RecapPart } from './checkpoint.entities';
import { SessionEndings } from './session-endings';
import { placeOf } from './session-places';
import { SessionStore } from './session-store';
import type { Session } from './session.entity';
import { chunkLines, transcriptLines } from './transcript-text';

const RECAP_SYSTEM =
  'You write recaps of tabletop role-playing sessions for the players. Tell what happened, in the past tense, ' +
  'with the names that are used. Do not invent anything.';

const COMBINE_SYSTEM =
  'These are recaps of consecutive parts of one tabletop role-playing session. Join them into one recap, in the ' +
  'past tense, without repeating anything. Do not invent anything.';

interface Attempt {
  readonly session: Session;
  readonly signal: AbortSignal;
  readonly onStarted: () => Promise<void>;
}

/**
 * Second half of a run: from the transcript to the recap. A transcript longer than the model reads at once
 * is summarised chunk by chunk, then the chunks' recaps are joined, level by level; each is a checkpoint.
 */
@Injectable()
export class SessionSummariser {
  private readonly logger = new Logger(SessionSummariser.name);

  constructor(
    private readonly config: AppConfig,
    private readonly store: SessionStore,
    private readonly providers: ProviderDispatch,
    private readonly usage: UsageRecorder,
    private readonly endings: SessionEndings,
    private readonly queues: JobQueues,
  ) {}

  /** @throws SlotParkedError, after the row says so; and what the provider threw. */
  async run(payload: JobPayload, signal: AbortSignal, onStarted: () => Promise<void>): Promise<void> {
    const session = await this.store.findRun(payload.rowId, payload.run);
    const transcript = session?.status === 'summarising' && (await this.store.findTranscript(session.id));
    if (!session || !transcript) return;

    const attempt: Attempt = { session, signal, onStarted };
    let texts = chunkLines(transcriptLines(transcript.segments), this.config.QB_SUMMARY_CHUNK_CHARS);
    let system = RECAP_SYSTEM;
    for (let level = 0; texts.length > 1; level += 1) {
      texts = chunkLines(
        await this.recapParts(attempt, level, system, texts),
        this.config.QB_SUMMARY_CHUNK_CHARS,
      );
      system = COMBINE_SYSTEM;
    }
    const text = texts[0] ?? '(The recording holds no speech.)';
    const last = await this.write(attempt, system, text);
    await this.finish(attempt, last);
  }

  private async recapParts(
    attempt: Attempt,
    level: number,
    system: string,
    texts: string[],
  ): Promise<string[]> {
    const recaps: string[] = [];
    for (const [part, text] of texts.entries()) {
      const stored = await this.store.findRecapPart(attempt.session.id, level, part);
      recaps.push(stored ?? (await this.recapPart(attempt, level, part, system, text)));
    }
    return recaps;
  }

  private async recapPart(
    attempt: Attempt,
    level: number,
    part: number,
    system: string,
    text: string,
  ): Promise<string> {
    const { session } = attempt;
    const { id, run, teamId } = session;
    const ref = { sessionId: id, run, teamId };
    const step = `llm:${level}:${part}`;
    const result = await this.write(attempt, system, text);
    const meter = { kind: 'llm' as const, ...result.meter };
    // A recap longer than its source would never come to an end.
    const recap = result.text.slice(0, Math.max(1, Math.floor(this.config.QB_SUMMARY_CHUNK_CHARS / 2)));
    const kept = await this.store.checkpoint(async (manager) => {
      if (!(await this.store.updateRun(session, ['summarising'], {}, manager))) return false;
      await this.usage.recordStep(manager, ref, step, meter);
      const row = { sessionId: id, level, part, text: recap };
      await manager.upsert(RecapPart, row, ['sessionId', 'level', 'part']);
      return true;
    }, attempt.signal);
    if (kept) return recap;
    await this.endings.dropResult(session, { step, meter });
    throw new JobCancelledError();
  }

  private async write(
    { session, signal, onStarted }: Attempt,
    system: string,
    prompt: string,
  ): Promise<ProseResult> {
    const { id, run, teamId } = session;
    try {
      return await this.providers.dispatchProse({
        use: 'llm',
        system,
        prompt,
        place: {
          placeId: placeOf(id, run, 'llm'),
          ticket: session.ticket ?? undefined,
          group: teamId,
          wake: wakeOf(this.queues.get(SUMMARISE_QUEUE).name, jobIdOf(id, run)),
        },
        signal,
        onGranted: onStarted,
        onPause: () => this.noteRetry(session),
      });
    } catch (error) {
      if (error instanceof SlotParkedError) await this.countRetry(session, error.ticket);
      throw error;
    }
  }

  /** A count that cannot be written is no reason to end a call that is under way. */
  private noteRetry(session: Session): void {
    this.countRetry(session, session.ticket).catch((error: unknown) => this.logger.warn(error));
  }

  private async countRetry(session: Session, ticket: string | null): Promise<void> {
    await this.store.updateRun(session, ['summarising'], { ticket, retryCount: () => 'retry_count + 1' });
  }

  private async finish({ session, signal }: Attempt, result: ProseResult): Promise<void> {
    const { id, run, teamId } = session;
    const ref = { sessionId: id, run, teamId };
    const step = { kind: 'llm' as const, ...result.meter };
    const completed = await this.endings.complete(
      session,
      async (manager) => {
        await this.usage.recordStep(manager, ref, 'llm:last', step);
        await manager.upsert(Recap, { sessionId: id, text: result.text, model: result.model }, ['sessionId']);
        await manager.delete(RecapPart, { sessionId: id });
      },
      signal,
    );
    if (!completed) await this.endings.dropResult(session, { step: 'llm:last', meter: step });
  }
}

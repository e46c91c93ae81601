import { Injectable } from '@nestjs/common';
import { jobIdOf, JobQueues, type JobPayload, SUMMARISE_QUEUE, TRANSCRIBE_QUEUE, wakeOf } from '@app/jobs';
import { SlotParkedError } from '@app/provider-slots';
import { ProviderDispatch, type TranscribeResult } from '@app/providers';
import { RecordingStore } from '@app/storage';
import { UsageRecorder } from '@app/usage';
import { Transcript } from './checkpoint.entities';
import { SessionEndings } from './session-endings';
import { placeOf } from './session-places';
import { SessionStore } from './session-store';
import type { Session } from './session.entity';

/** First half of a run: from the recording to the stored transcript, which is the checkpoint. */
@Injectable()
export class SessionTranscriber {
  constructor(
    private readonly store: SessionStore,
    private readonly recordings: RecordingStore,
    private readonly providers: ProviderDispatch,
    private readonly usage: UsageRecorder,
    private readonly endings: SessionEndings,
    private readonly queues: JobQueues,
  ) {}

  /** @throws SlotParkedError, after the row says so; and what the provider threw. */
  async run(payload: JobPayload, signal: AbortSignal, onStarted: () => Promise<void>): Promise<void> {
    const session = await this.store.findRun(payload.rowId, payload.run);
    // A job may outlive what it was for: cancelled, deleted, or transcribed by an attempt that died just after.
    if (session?.status === 'queued' || session?.status === 'transcribing') {
      const result = await this.transcribe(session, signal, onStarted);
      if (!(await this.keep(session, result, signal))) return;
    } else if (session?.status !== 'summarising') {
      return;
    }
    await this.queues.enqueue(SUMMARISE_QUEUE, { ...newPayload(payload), enqueuedAt: Date.now() });
  }

  private async transcribe(
    session: Session,
    signal: AbortSignal,
    onStarted: () => Promise<void>,
  ): Promise<TranscribeResult> {
    const { id, run, teamId } = session;
    try {
      return await this.providers.transcribe({
        audio: {
          path: this.recordings.pathOf(session.recordingKey),
          filename: `recording.${session.audioContentType.split('/')[1] ?? 'bin'}`,
          contentType: session.audioContentType,
          bytes: session.audioBytes,
          durationSeconds: session.audioDurationSeconds,
        },
        language: session.language ?? undefined,
        place: {
          placeId: placeOf(id, run, 'asr'),
          ticket: session.ticket ?? undefined,
          group: teamId,
          wake: wakeOf(this.queues.get(TRANSCRIBE_QUEUE).name, jobIdOf(id, run)),
        },
        signal,
        onGranted: async ({ ticket }) => {
          const startedAt = session.startedAt ?? new Date();
          const started = { status: 'transcribing' as const, phase: 'asr' as const, ticket, startedAt };
          await Promise.all([
            this.store.updateRun(session, ['queued', 'transcribing'], started),
            onStarted(),
          ]);
        },
      });
    } catch (error) {
      if (error instanceof SlotParkedError) await this.notePark(session, error.ticket);
      throw error;
    }
  }

  private async notePark(session: Session, ticket: string): Promise<void> {
    await this.store.updateRun(session, ['queued', 'transcribing'], {
      status: 'queued',
      phase: 'asr',
      ticket,
      retryCount: () => 'retry_count + 1',
    });
  }

  /** Stores the transcript with its meter line; false when the run ended in the meantime. */
  private async keep(
    session: Session,
    { transcript, meter }: TranscribeResult,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { id, run, teamId } = session;
    const ref = { sessionId: id, run, teamId };
    const durationSeconds = transcript.durationSeconds ?? session.audioDurationSeconds ?? 0;
    const metered = { kind: 'asr' as const, ...meter, audioSeconds: meter.audioSeconds ?? durationSeconds };
    const { language, segments } = transcript;
    const kept = await this.store.checkpoint(async (manager) => {
      if (!(await this.store.moveRun(session, 'summarising', { phase: 'llm' }, manager))) return false;
      await this.usage.recordStep(manager, ref, 'asr', metered);
      const row = { sessionId: id, language, durationSeconds, segments, outdated: false };
      await manager.upsert(Transcript, row, ['sessionId']);
      return true;
    }, signal);
    return kept || this.endings.dropResult(session, { step: 'asr', meter: metered });
  }
}

function newPayload({ rowId, teamId, run }: JobPayload): Pick<JobPayload, 'rowId' | 'teamId' | 'run'> {
  return { rowId, teamId, run };
}

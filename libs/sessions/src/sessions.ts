import { Injectable } from '@nestjs/common';
import { ConflictError, newId, NotFoundError } from '@app/kernel';
import { RecordingStore, type StoredRecording } from '@app/storage';
import { Campaigns } from './campaigns';
import { Recap, RecapPart, type Transcript } from './checkpoint.entities';
import { SessionEndings } from './session-endings';
import { SessionQueue } from './session-queue';
import { isTerminal } from './session-status';
import { SessionStore } from './session-store';
import { Session } from './session.entity';

/** What a GM may say about a session. */
export interface SessionLabels {
  readonly title?: string | null;
  readonly language?: string | null;
}

/** What a GM does with sessions. Another team's session is not found, whatever is done to it. */
@Injectable()
export class Sessions {
  constructor(
    private readonly store: SessionStore,
    private readonly campaigns: Campaigns,
    private readonly recordings: RecordingStore,
    private readonly queue: SessionQueue,
    private readonly endings: SessionEndings,
  ) {}

  /**
   * Row first, then the queue: once this returns, the session will be processed. On a failure the
   * recording is removed again.
   * @throws NotFoundError when the campaign is not the team's
   */
  async create(
    teamId: string,
    campaignId: string,
    recording: StoredRecording,
    labels: SessionLabels,
  ): Promise<Session> {
    const id = newId();
    try {
      await this.campaigns.get(teamId, campaignId);
      await this.store.transaction((manager) =>
        manager.insert(Session, {
          id,
          teamId,
          campaignId,
          title: labels.title ?? null,
          language: labels.language ?? null,
          status: 'queued',
          phase: 'asr',
          recordingKey: recording.key,
          audioBytes: recording.bytes,
          audioDurationSeconds: recording.durationSeconds,
          audioContentType: recording.contentType,
        }),
      );
    } catch (error) {
      await this.recordings.remove(recording.key);
      throw error;
    }
    const session = await this.get(teamId, id);
    await this.queue.enqueue(session);
    return session;
  }

  /** @throws NotFoundError */
  async get(teamId: string, id: string): Promise<Session> {
    const session = await this.store.find(teamId, id);
    if (!session) throw new NotFoundError('session');
    return session;
  }

  /** @throws NotFoundError also while there is no transcript yet */
  async getTranscript(teamId: string, id: string): Promise<Transcript> {
    await this.get(teamId, id);
    const transcript = await this.store.findTranscript(id);
    if (!transcript) throw new NotFoundError('transcript yet');
    return transcript;
  }

  /** @throws NotFoundError */
  async edit(teamId: string, id: string, labels: SessionLabels): Promise<Session> {
    await this.get(teamId, id);
    await this.store.editLabels(teamId, id, labels);
    return this.get(teamId, id);
  }

  /**
   * A new run: of a failed or cancelled session from its last checkpoint, of a completed one from the start.
   * @throws NotFoundError, ConflictError while it is being processed
   */
  async retry(teamId: string, id: string): Promise<Session> {
    const session = await this.get(teamId, id);
    const fromStart = session.status === 'completed' || !(await this.store.findTranscript(id));
    const renewed = await this.store.transaction(async (manager) => {
      if (session.status === 'completed') {
        await manager.delete(Recap, { sessionId: id });
        await manager.delete(RecapPart, { sessionId: id });
      }
      return this.store.startRun(session, fromStart ? 'queued' : 'summarising', manager);
    });
    if (!renewed) throw new ConflictError('The session is being processed');
    const next = await this.get(teamId, id);
    await this.queue.enqueue(next);
    return next;
  }

  /** @throws NotFoundError, ConflictError when it has ended already */
  async cancel(teamId: string, id: string): Promise<Session> {
    const session = await this.get(teamId, id);
    if (!(await this.endings.cancel(session))) throw new ConflictError('The session has ended already');
    await this.queue.withdraw(session);
    return this.get(teamId, id);
  }

  /** Removes the session, its recording and its texts; what was consumed stays in the ledger. @throws NotFoundError */
  async remove(teamId: string, id: string): Promise<void> {
    const session = await this.get(teamId, id);
    if (!isTerminal(session.status)) {
      await this.endings.cancel(session);
      await this.queue.withdraw(session);
    }
    await this.store.remove(teamId, id);
    await this.recordings.remove(session.recordingKey);
  }
}

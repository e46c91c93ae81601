import { Injectable } from '@nestjs/common';
import { Idempotency } from '@app/http';
import { ConflictError, newId, NotFoundError } from '@app/kernel';
import { RecordingStore, type StoredRecording } from '@app/storage';
import type { EntityManager } from 'typeorm';
import { Campaigns } from './campaigns';
import { Recap, RecapPart, Transcript } from './checkpoint.entities';
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
    private readonly idempotency: Idempotency,
  ) {}

  /**
   * Row first, then the queue: once this returns, the session will be processed. With a key that was used
   * for the same upload before, it is that upload's session and nothing new. Whenever no session is made,
   * the recording is removed again.
   * @throws NotFoundError when the campaign is not the team's, ConflictError when the key was used otherwise
   */
  async create(
    teamId: string,
    campaignId: string,
    recording: StoredRecording,
    labels: SessionLabels,
    idempotencyKey?: string,
  ): Promise<Session> {
    let earlier: Session | undefined;
    const id = newId();
    try {
      await this.campaigns.get(teamId, campaignId);
      earlier = await this.store.transaction(async (manager) => {
        if (idempotencyKey !== undefined) {
          const content = { campaignId, sha256: recording.sha256, ...labels };
          const claim = { teamId, scope: 'sessions', key: idempotencyKey, content, resourceId: id };
          const earlierId = await this.idempotency.claim(manager, claim);
          if (earlierId) return this.getMadeBefore(teamId, earlierId);
        }
        await this.insert(manager, { id, teamId, campaignId }, recording, labels);
        return undefined;
      });
    } catch (error) {
      await this.recordings.remove(recording.key);
      throw error;
    }
    if (earlier) {
      await this.recordings.remove(recording.key);
      return earlier;
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
    const transcript = await this.store.findTranscript(id);
    const fromStart = session.status === 'completed' || !transcript || transcript.outdated;
    const renewed = await this.store.transaction(async (manager) => {
      if (!(await this.store.startRun(session, fromStart ? 'queued' : 'summarising', manager))) return false;
      if (session.status === 'completed') {
        await manager.update(Transcript, { sessionId: id }, { outdated: true });
        await manager.delete(Recap, { sessionId: id });
        await manager.delete(RecapPart, { sessionId: id });
      }
      return true;
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

  private async insert(
    manager: EntityManager,
    ids: { id: string; teamId: string; campaignId: string },
    recording: StoredRecording,
    labels: SessionLabels,
  ): Promise<void> {
    await manager.insert(Session, {
      ...ids,
      title: labels.title ?? null,
      language: labels.language ?? null,
      status: 'queued',
      phase: 'asr',
      recordingKey: recording.key,
      audioBytes: recording.bytes,
      audioDurationSeconds: recording.durationSeconds,
      audioContentType: recording.contentType,
    });
  }

  /** @throws ConflictError when what the key made is gone: making it again would be no repetition */
  private async getMadeBefore(teamId: string, id: string): Promise<Session> {
    const session = await this.store.find(teamId, id);
    if (!session) throw new ConflictError('The session that this Idempotency-Key made was deleted');
    return session;
  }
}

import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { AppError, newId } from '@app/kernel';
import { consumedBy, type Meter as ProviderMeter, ProviderDispatch } from '@app/providers';
import { UsageRecorder } from '@app/usage';
import { DataSource } from 'typeorm';
import { Campaigns } from './campaigns';
import type { Transcript } from './checkpoint.entities';
import { SessionStore } from './session-store';
import { Sessions } from './sessions';
import { chunkLines, transcriptLines } from './transcript-text';

/** Transcript that is sent along with a question, from its end: models read that much at once. */
const CONTEXT_CHARS = 24_000;

const ASK_SYSTEM =
  'You answer questions of the players about their tabletop role-playing session, from the transcript alone. ' +
  'Say so when it does not hold the answer.';

const NAMES_SYSTEM =
  'You invent names for a tabletop role-playing game that fit the mood of what is given. Answer with names alone.';

const NAMES_SCHEMA = {
  type: 'object',
  properties: { names: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 20 } },
  required: ['names'],
  additionalProperties: false,
};

/** What is asked for when names are invented. */
export interface NamesWish {
  readonly what: string;
  readonly count: number;
}

/** Answers that people wait for: they run inside the request, so a busy provider refuses them at once. */
@Injectable()
export class SessionQuestions {
  constructor(
    private readonly sessions: Sessions,
    private readonly campaigns: Campaigns,
    private readonly store: SessionStore,
    private readonly providers: ProviderDispatch,
    private readonly usage: UsageRecorder,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  /** @throws NotFoundError, SlotBusyError (nothing was sent), ProviderError */
  async ask(
    teamId: string,
    sessionId: string,
    question: string,
    signal: AbortSignal,
  ): Promise<{ answer: string; model: string }> {
    const transcript = await this.sessions.getTranscript(teamId, sessionId);
    const prompt = `Transcript:\n${contextOf(transcript)}\n\nQuestion: ${question}`;
    const { text, model } = await this.metered(teamId, sessionId, 'ask', () =>
      this.providers.dispatchProse({
        use: 'llm',
        system: ASK_SYSTEM,
        prompt,
        place: newPlace(teamId),
        signal,
      }),
    );
    return { answer: text, model };
  }

  /** Names in the mood of one session. @throws NotFoundError, SlotBusyError, ProviderError */
  async namesForSession(
    teamId: string,
    sessionId: string,
    wish: NamesWish,
    signal: AbortSignal,
  ): Promise<string[]> {
    const { title } = await this.sessions.get(teamId, sessionId);
    const transcript = await this.store.findTranscript(sessionId);
    const mood = [title ?? '', transcript ? contextOf(transcript) : ''].join('\n');
    return this.names(teamId, sessionId, mood, wish, signal);
  }

  /** Names in the mood of a campaign. @throws NotFoundError, SlotBusyError, ProviderError */
  async namesForCampaign(
    teamId: string,
    campaignId: string,
    wish: NamesWish,
    signal: AbortSignal,
  ): Promise<string[]> {
    const { name } = await this.campaigns.get(teamId, campaignId);
    return this.names(teamId, null, name, wish, signal);
  }

  private async names(
    teamId: string,
    sessionId: string | null,
    mood: string,
    { what, count }: NamesWish,
    signal: AbortSignal,
  ): Promise<string[]> {
    const prompt = `Mood:\n${mood}\n\nInvent ${count} different names for: ${what}`;
    const { json } = await this.metered(teamId, sessionId, 'names', () =>
      this.providers.generateStructuredText({
        use: 'llm',
        system: NAMES_SYSTEM,
        prompt,
        schema: NAMES_SCHEMA,
        place: newPlace(teamId),
        signal,
      }),
    );
    return (json as { names: string[] }).names.slice(0, count);
  }

  /** Writes one usage row for a call that was answered, or that failed after it was sent. */
  private async metered<T extends { meter: ProviderMeter }>(
    teamId: string,
    sessionId: string | null,
    purpose: string,
    call: () => Promise<T>,
  ): Promise<T> {
    const record = (status: string, meter?: ProviderMeter): Promise<void> =>
      this.usage.recordRequest(
        this.dataSource.manager,
        { teamId, sessionId, purpose, status },
        meter ? [{ kind: 'llm', ...meter }] : [],
      );
    try {
      const result = await call();
      await record('completed', result.meter);
      return result;
    } catch (error) {
      const nothingSent = !(error instanceof AppError) || error.code === 'provider_busy';
      if (!nothingSent) await record('failed', consumedBy(error));
      throw error;
    }
  }
}

function newPlace(teamId: string): { placeId: string; group: string } {
  return { placeId: `request:${newId()}`, group: teamId };
}

function contextOf({ segments }: Transcript): string {
  return chunkLines(transcriptLines(segments), CONTEXT_CHARS).at(-1) ?? '';
}

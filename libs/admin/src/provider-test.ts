import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { newId } from '@app/kernel';
import { ProviderDispatch } from '@app/providers';
import { UsageRecorder } from '@app/usage';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { silentWav } from './silent-wav';

const TEST_PROMPT = 'Answer with the single word: ready';
const TEST_OUTPUT_TOKENS = 8;

/** What a test call found. */
export interface ProviderTestResult {
  readonly kind: 'asr' | 'llm';
  readonly provider: string;
  readonly model: string;
  readonly duration_ms: number;
}

/** One tiny real call through the same slots as every other, so it is refused while they are full. */
@Injectable()
export class ProviderTest {
  constructor(
    private readonly providers: ProviderDispatch,
    private readonly usage: UsageRecorder,
    @InjectDataSource() private readonly dataSource: DataSource,
  ) {}

  /** @throws SlotBusyError (nothing was sent), ProviderError */
  async run(kind: 'asr' | 'llm', teamId: string, signal: AbortSignal): Promise<ProviderTestResult> {
    const startedAt = Date.now();
    const { meter } =
      kind === 'asr' ? await this.transcribe(teamId, signal) : await this.write(teamId, signal);
    await this.usage.recordRequest(
      this.dataSource.manager,
      { teamId, sessionId: null, purpose: 'test', status: 'completed' },
      [{ kind, ...meter }],
    );
    return { kind, provider: meter.provider, model: meter.model, duration_ms: Date.now() - startedAt };
  }

  private write(teamId: string, signal: AbortSignal) {
    return this.providers.dispatchProse({
      use: 'llm',
      prompt: TEST_PROMPT,
      maxOutputTokens: TEST_OUTPUT_TOKENS,
      place: newPlace(teamId),
      signal,
    });
  }

  private async transcribe(teamId: string, signal: AbortSignal) {
    const path = join(tmpdir(), `questline-test-${newId()}.wav`);
    const wav = silentWav(1);
    await writeFile(path, wav, { mode: 0o600 });
    try {
      const audio = {
        path,
        filename: 'test.wav',
        contentType: 'audio/wav',
        bytes: wav.length,
        durationSeconds: 1,
      };
      return await this.providers.transcribe({ audio, place: newPlace(teamId), signal });
    } finally {
      await rm(path, { force: true });
    }
  }
}

function newPlace(teamId: string): { placeId: string; group: string } {
  return { placeId: `test:${newId()}`, group: teamId };
}

import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Emulator, type EmulatorSettings } from '../../apps/emulator/src';
import { AppConfig } from '@app/config';
import type { ProseCall, SlotPlace, TranscribeCall } from '@app/providers';
import { newJobScope, RequestScope, type Scope } from '@app/request-scope';
import { composeProviders, type ProviderParts } from '../../libs/providers/src/compose-providers';
import { openSlots, type OpenSlots } from './open-slots';

export interface Dialect {
  readonly kind: 'asr' | 'llm';
  readonly provider: 'whisperx' | 'openai' | 'ollama' | 'llamacpp' | 'anthropic' | 'stub';
}

/** Every dialect that speaks HTTP. */
export const DIALECTS: readonly Dialect[] = [
  { kind: 'asr', provider: 'whisperx' },
  { kind: 'asr', provider: 'openai' },
  { kind: 'llm', provider: 'ollama' },
  { kind: 'llm', provider: 'llamacpp' },
  { kind: 'llm', provider: 'openai' },
  { kind: 'llm', provider: 'anthropic' },
];

/** What every call of either kind has in common. */
export interface Asked {
  readonly meter: { readonly calls: number };
  readonly text: string;
}

export interface AskOptions
  extends
    Partial<Pick<ProseCall & TranscribeCall, 'signal' | 'onGranted' | 'onPause' | 'prompt'>>,
    Partial<Pick<SlotPlace, 'placeId' | 'ticket'>> {}

/**
 * One dialect against the emulator on the wire, under the real semaphore: everything between a call's face
 * and the socket is the product's own.
 */
export class ProviderWorld {
  readonly requestScope = new RequestScope();
  private opened: OpenSlots[] = [];
  private prefix = newPrefix();
  private placesMade = 0;

  private constructor(
    readonly dialect: Dialect,
    readonly emulator: Emulator,
    private readonly folder: string,
  ) {}

  static async start(dialect: Dialect, emulator: Partial<EmulatorSettings> = {}): Promise<ProviderWorld> {
    const server = await new Emulator({ holdMs: { asr: 20, llm: 20 }, ...emulator }).start();
    const folder = await mkdtemp(join(tmpdir(), 'questline-conformance-'));
    await writeFile(join(folder, 'audio.wav'), wav(1));
    return new ProviderWorld(dialect, server, folder);
  }

  /** Path of a second's silence. */
  get audioPath(): string {
    return join(this.folder, 'audio.wav');
  }

  /** The emulator's address of this dialect. */
  get baseUrl(): string {
    return `${this.emulator.url}/${this.dialect.provider}`;
  }

  /** The product as one process of it would be configured; every further one shares the slots by Redis alone. */
  async process(settings: Partial<AppConfig> = {}): Promise<ProviderParts & { readonly slots: OpenSlots }> {
    const kind = this.dialect.kind.toUpperCase();
    const config = Object.assign(new AppConfig(), {
      QB_ASR_PROVIDER: 'stub',
      QB_LLM_PROVIDER: 'stub',
      [`QB_${kind}_PROVIDER`]: this.dialect.provider,
      [`QB_${kind}_BASE_URL`]: this.baseUrl,
      [`QB_${kind}_MODEL`]: 'emulated-model',
      QB_ASR_TIMEOUT_MS: 20_000,
      QB_LLM_TIMEOUT_MS: 20_000,
      ...settings,
    });
    const slots = await openSlots({ requestScope: this.requestScope, prefix: this.prefix });
    this.opened.push(slots);
    return { ...composeProviders({ config, slots: slots.slots, requestScope: this.requestScope }), slots };
  }

  /** One plain call of the world's kind. */
  async ask(parts: ProviderParts, more: AskOptions = {}): Promise<Asked> {
    const { prompt = 'Tell me of the road.', placeId, ticket, ...call } = more;
    const place = { placeId: placeId ?? `place-${(this.placesMade += 1)}`, ticket, group: 'team' };
    if (this.dialect.kind === 'llm')
      return parts.dispatch.dispatchProse({ use: 'llm', prompt, place, ...call });
    const audio = {
      path: this.audioPath,
      filename: 'secret name.wav',
      contentType: 'audio/wav',
      bytes: 32_044,
      durationSeconds: 1,
    };
    const { transcript, meter } = await parts.dispatch.transcribe({ audio, place, ...call });
    return { meter, text: transcript.segments.map((segment) => segment.text).join(' ') };
  }

  inRequest<T>(work: () => Promise<T>): Promise<T> {
    return this.inScope({ kind: 'http', requestId: 'r' }, work);
  }

  inJob<T>(work: () => Promise<T>): Promise<T> {
    return this.inScope(newJobScope('r'), work);
  }

  /** Requests that the emulator saw, calls only. */
  get requests(): number {
    return this.emulator.stats()[this.dialect.kind].requests;
  }

  get inFlight(): number {
    return this.emulator.stats()[this.dialect.kind].in_flight;
  }

  /** For the next test: an emulator without a past, and slots whose gates are open. */
  async renew(): Promise<void> {
    await this.closeSlots();
    this.prefix = newPrefix();
    this.emulator.reset();
  }

  async stop(): Promise<void> {
    await this.closeSlots();
    await this.emulator.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  private async closeSlots(): Promise<void> {
    await Promise.all(this.opened.map((slots) => slots.close()));
    this.opened = [];
  }

  private inScope<T>(scope: Scope, work: () => Promise<T>): Promise<T> {
    return this.requestScope.run(scope, work);
  }
}

function newPrefix(): string {
  return `conformance-${randomBytes(6).toString('hex')}`;
}

/** Silence, 16 kHz mono 16 bit. */
function wav(seconds: number): Buffer {
  const data = Buffer.alloc(seconds * 32_000);
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + data.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(16_000, 24);
  head.writeUInt32LE(32_000, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(data.length, 40);
  return Buffer.concat([head, data]);
}

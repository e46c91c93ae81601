import { Emulator } from '../emulator';
import type { EmulatorSettings } from '../emulator-settings';

export const CHAT = '/v1/chat/completions';
export const SPEECH = '/v1/audio/transcriptions';

/** Starts emulators for one test file and speaks to them as a client does; `stopAll` belongs in afterEach. */
export class RunningEmulators {
  private readonly started: Emulator[] = [];

  async start(settings: Partial<EmulatorSettings> = {}): Promise<Emulator> {
    const emulator = await new Emulator({ holdMs: { asr: 0, llm: 0 }, ...settings }).start();
    this.started.push(emulator);
    return emulator;
  }

  async stopAll(): Promise<void> {
    await Promise.all(this.started.splice(0).map((emulator) => emulator.stop()));
  }
}

export function post(
  emulator: Emulator,
  path: string,
  body: unknown,
  init: RequestInit = {},
): Promise<Response> {
  const headers = { 'Content-Type': 'application/json' };
  return fetch(`${emulator.url}${path}`, { method: 'POST', body: JSON.stringify(body), headers, ...init });
}

export function chat(emulator: Emulator, prompt: string, init: RequestInit = {}): Promise<Response> {
  return post(emulator, CHAT, { model: 'm', messages: [{ role: 'user', content: prompt }] }, init);
}

export function speech(
  emulator: Emulator,
  audio: Uint8Array,
  fields: Record<string, string> = { response_format: 'verbose_json' },
  init: RequestInit = {},
): Promise<Response> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('file', new Blob([audio]), 'audio.wav');
  return fetch(`${emulator.url}${SPEECH}`, { method: 'POST', body: form, ...init });
}

export function control(emulator: Emulator, method: string, path: string, body?: unknown): Promise<Response> {
  return fetch(`${emulator.url}/emulator/${path}`, {
    method,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
  });
}

import type { IncomingMessage } from 'node:http';
import type { ReadCall } from '../answers/answer-composer';
import type { ChatDialect, TranscriptionDialect } from '../dialects/dialect';
import { BadCallError } from '../dialects/provider-error';
import { readAudioUpload } from './audio-upload';
import { readJsonBody } from './json-body';
import type { ProviderRoute } from './provider-routes';

export interface CallAsRead {
  readonly call: ReadCall;
  /** What marks and a script's `prompt_includes` look at. */
  readonly prompt: string;
  /** SHA-256 of the audio, or of the JSON body as sent. */
  readonly digest: string;
}

/**
 * Reads a call's body, whole.
 *
 * @throws BadCallError when no dialect of the route understands it
 */
export async function readCall(
  request: IncomingMessage,
  route: Exclude<ProviderRoute, { kind: 'info' }>,
): Promise<CallAsRead> {
  if (route.kind === 'asr') {
    const audio = await readAudioUpload(request);
    const call: ReadCall = { kind: 'asr', dialect: first(route.dialects), audio };
    return { call, prompt: audio.fields['prompt'] ?? '', digest: audio.digest };
  }
  const { value, digest } = await readJsonBody(request);
  const call = readChat(value, route.dialects);
  return { call, prompt: call.kind === 'llm' ? call.chat.prompt : '', digest };
}

/** The first dialect that understands the body: llama.cpp, for one, needs no model's name. */
function readChat(body: unknown, dialects: readonly ChatDialect[]): ReadCall {
  let refusal: BadCallError | undefined;
  for (const dialect of dialects) {
    try {
      return { kind: 'llm', dialect, chat: dialect.read(body) };
    } catch (error) {
      if (!(error instanceof BadCallError)) throw error;
      refusal ??= error;
    }
  }
  throw refusal ?? new BadCallError('No dialect reads this route');
}

function first(dialects: readonly TranscriptionDialect[]): TranscriptionDialect {
  const [dialect] = dialects;
  if (dialect === undefined) throw new Error('A route without a dialect');
  return dialect;
}

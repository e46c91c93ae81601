import { AnthropicDialect } from '../dialects/anthropic';
import type { ChatDialect, Dialect, TranscriptionDialect } from '../dialects/dialect';
import { LlamaCppDialect } from '../dialects/llamacpp';
import { OllamaDialect } from '../dialects/ollama';
import { OpenAiChatDialect } from '../dialects/openai-chat';
import { OpenAiTranscriptionDialect, WhisperXDialect } from '../dialects/transcription';
import { type Answer, jsonAnswer, textAnswer } from '../answers/answer';
import type { EmulatorSettings } from '../emulator-settings';

/**
 * A route of one provider, or of several that share its path. Of these the first one answers, unless the
 * path names one (`/llamacpp/v1/chat/completions`) or a script's rule does.
 */
export type ProviderRoute =
  | { readonly kind: 'llm'; readonly dialects: readonly ChatDialect[] }
  | { readonly kind: 'asr'; readonly dialects: readonly TranscriptionDialect[] }
  | {
      readonly kind: 'info';
      readonly dialects: readonly Dialect[];
      readonly answer: (settings: EmulatorSettings) => Answer;
    };

const whisperx = new WhisperXDialect();
const openAiSpeech = new OpenAiTranscriptionDialect();
const ollama = new OllamaDialect();
const llamacpp = new LlamaCppDialect();
const openAi = new OpenAiChatDialect();
const anthropic = new AnthropicDialect();

const MODEL = 'emulated-model';
const info = (
  dialects: readonly Dialect[],
  answer: (settings: EmulatorSettings) => Answer,
): ProviderRoute => ({
  kind: 'info',
  dialects,
  answer,
});

const ROUTES: Readonly<Record<string, ProviderRoute>> = {
  'POST /v1/audio/transcriptions': { kind: 'asr', dialects: [whisperx, openAiSpeech] },
  'POST /api/chat': { kind: 'llm', dialects: [ollama] },
  'POST /v1/chat/completions': { kind: 'llm', dialects: [openAi, llamacpp] },
  'POST /v1/messages': { kind: 'llm', dialects: [anthropic] },
  'GET /capabilities': info([whisperx], ({ advertised }) =>
    advertised.asr === undefined
      ? jsonAnswer(404, { detail: 'Not Found' })
      : jsonAnswer(200, { concurrency: advertised.asr }),
  ),
  'GET /props': info([llamacpp], ({ advertised }) =>
    jsonAnswer(200, {
      model_path: `${MODEL}.gguf`,
      build_info: 'emulator',
      default_generation_settings: { n_ctx: 8_192 },
      ...(advertised.llm === undefined ? {} : { total_slots: advertised.llm }),
    }),
  ),
  'GET /health': info([llamacpp, whisperx], () => jsonAnswer(200, { status: 'ok' })),
  'GET /api/tags': info([ollama], () =>
    jsonAnswer(200, {
      models: [
        { name: `${MODEL}:latest`, model: `${MODEL}:latest`, size: 0, digest: 'emulated', details: {} },
      ],
    }),
  ),
  'GET /api/version': info([ollama], () => jsonAnswer(200, { version: '0.0.0-emulator' })),
  'GET /v1/models': info([openAi, llamacpp, whisperx, anthropic], () =>
    jsonAnswer(200, {
      object: 'list',
      data: [{ id: MODEL, object: 'model', created: 0, owned_by: 'emulator' }],
    }),
  ),
  'GET /': info([ollama], () =>
    textAnswer(200, 'Questline provider emulator: no model runs here, every text is made up.\n'),
  ),
};

const NAMED = /^\/(whisperx|ollama|llamacpp|openai|anthropic)(?=\/)/;

/** @returns undefined when no provider has such a route. */
export function findRoute(method: string, path: string): ProviderRoute | undefined {
  const named = NAMED.exec(path);
  const route = ROUTES[`${method === 'HEAD' ? 'GET' : method} ${named ? path.slice(named[0].length) : path}`];
  if (route === undefined || named === null) return route;
  const dialects = (route.dialects as readonly Dialect[]).filter(({ name }) => name === named[1]);
  return dialects.length === 0 ? undefined : ({ ...route, dialects } as ProviderRoute);
}

import type { ProviderTranscript } from '../dispatch/calls';
import { openAudioForm } from '../wire/audio-form';
import type { Wire } from '../wire/provider-wire';
import type { AsrAdapter, AsrRequest } from './asr-adapter';
import { newOpenAiClient } from './openai-client';
import { readTranscript } from './read-answer';

/** `POST /v1/audio/transcriptions`: OpenAI's own, and WhisperX servers, which speak the same with speakers added. */
export class OpenAiTranscriptionAdapter implements AsrAdapter {
  async transcribe({ endpoint, audio, language }: AsrRequest, wire: Wire): Promise<ProviderTranscript> {
    const form = await openAudioForm(audio, {
      model: endpoint.model,
      ...answerForm(endpoint.model),
      ...(language ? { language } : {}),
    });
    try {
      const answer = await newOpenAiClient(endpoint, wire).post<unknown>('/audio/transcriptions', {
        body: form.body,
        headers: form.headers,
        signal: wire.signal,
      });
      return readTranscript(answer);
    } finally {
      // After an early refusal or an abort nobody reads the rest.
      await form.close();
    }
  }
}

/** OpenAI's newer models do not know `verbose_json`; those that tell speakers apart have a form of their own. */
function answerForm(model: string): Record<string, string> {
  if (/diarize/.test(model)) return { response_format: 'diarized_json', chunking_strategy: 'auto' };
  if (/^gpt-/.test(model)) return { response_format: 'json' };
  return { response_format: 'verbose_json', 'timestamp_granularities[]': 'segment' };
}

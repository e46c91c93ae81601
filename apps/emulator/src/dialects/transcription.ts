import type { Transcript, TranscriptionDialect } from './dialect';
import { openAiError } from './openai-chat';
import { BadCallError, COMMON_ERRORS, type ErrorName, type ProviderError } from './provider-error';

/** `POST /v1/audio/transcriptions` as OpenAI has it, and servers that follow it. */
export class OpenAiTranscriptionDialect implements TranscriptionDialect {
  readonly name: string = 'openai';

  error(name: ErrorName, message?: string): ProviderError {
    return openAiError(name, message);
  }

  render(format: string, transcript: Transcript): { contentType: string; body: unknown } {
    const text = transcript.segments.map((segment) => segment.text).join(' ');
    const usage = { type: 'duration', seconds: Math.ceil(transcript.duration_seconds) };
    switch (format) {
      case 'text':
        return { contentType: 'text/plain; charset=utf-8', body: `${text}\n` };
      case 'json':
        return { contentType: 'application/json', body: { text, usage } };
      case 'verbose_json':
        return {
          contentType: 'application/json',
          body: {
            task: 'transcribe',
            language: transcript.language,
            duration: transcript.duration_seconds,
            text,
            segments: transcript.segments.map((segment, id) => ({
              id,
              start: segment.start,
              end: segment.end,
              text: segment.text,
              ...(segment.speaker === null ? {} : { speaker: segment.speaker }),
            })),
            usage,
          },
        };
      default:
        throw new BadCallError(
          `response_format ${JSON.stringify(format)} is not one of json, text, verbose_json`,
        );
    }
  }
}

/** WhisperX behind an OpenAI-compatible server written with FastAPI: the same answers, errors in `detail`. */
export class WhisperXDialect extends OpenAiTranscriptionDialect {
  override readonly name = 'whisperx';

  override error(name: ErrorName, message?: string): ProviderError {
    // WhisperX bills nobody; a gateway in front of it that does speaks OpenAI's shape.
    if (name === 'insufficient_quota') return super.error(name, message);
    const { status, message: usual } = COMMON_ERRORS[name];
    const detail = message ?? usual;
    if (name !== 'invalid_request') return { status, body: { detail } };
    return {
      status: 422,
      body: { detail: [{ type: 'value_error', loc: ['body'], msg: detail, input: null }] },
    };
  }
}

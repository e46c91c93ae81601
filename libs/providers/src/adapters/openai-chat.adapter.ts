import type { Wire } from '../wire/provider-wire';
import type { LlmAdapter, LlmAnswer, LlmRequest } from './llm-adapter';
import { newOpenAiClient } from './openai-client';
import { readAmount, readObject, readText } from './read-answer';

/** `POST /v1/chat/completions`: OpenAI, and llama.cpp's server, which speaks an older form of it. */
export class OpenAiChatAdapter implements LlmAdapter {
  async generate(request: LlmRequest, wire: Wire): Promise<LlmAnswer> {
    const { endpoint, model, system, prompt, maxOutputTokens, schema } = request;
    const answer: unknown = await newOpenAiClient(endpoint, wire).chat.completions.create(
      {
        model,
        messages: [
          ...(system ? [{ role: 'system' as const, content: system }] : []),
          { role: 'user' as const, content: prompt },
        ],
        ...(maxOutputTokens ? limitOf(endpoint.provider, maxOutputTokens) : {}),
        // Not strict: that allows only a part of JSON schema, and we validate the answer ourselves.
        ...(schema
          ? {
              response_format: {
                type: 'json_schema' as const,
                json_schema: { name: 'answer', schema: { ...schema } },
              },
            }
          : {}),
      },
      { signal: wire.signal },
    );
    const fields = readObject(answer);
    const choices = Array.isArray(fields['choices']) ? (fields['choices'] as unknown[]) : [];
    const message = readObject(readObject(choices[0])['message']);
    const usage = (fields['usage'] ?? {}) as Record<string, unknown>;
    return {
      text: readText(message['content']),
      model: typeof fields['model'] === 'string' ? fields['model'] : model,
      inputTokens: readAmount(usage['prompt_tokens']),
      outputTokens: readAmount(usage['completion_tokens']),
    };
  }
}

/** OpenAI's reasoning models reject the old name, llama.cpp ignores the new one. */
function limitOf(
  provider: string,
  tokens: number,
): { max_tokens: number } | { max_completion_tokens: number } {
  return provider === 'openai' ? { max_completion_tokens: tokens } : { max_tokens: tokens };
}

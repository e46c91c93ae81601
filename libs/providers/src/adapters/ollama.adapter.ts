import { Ollama } from 'ollama';
import { estimateTokens } from '../dispatch/meter';
import type { Wire } from '../wire/provider-wire';
import type { LlmAdapter, LlmAnswer, LlmRequest } from './llm-adapter';
import { readAmount, readObject, readText } from './read-answer';

const SMALLEST_CONTEXT = 8_192;
const LARGEST_CONTEXT = 131_072;
const ROOM_FOR_THE_ANSWER = 2_048;

/** `POST /api/chat`. Not streamed: the client prints the lines of a broken stream, and with them what was said. */
export class OllamaAdapter implements LlmAdapter {
  async generate(request: LlmRequest, wire: Wire): Promise<LlmAnswer> {
    const { endpoint, model, system, prompt, maxOutputTokens, schema } = request;
    const { apiKey } = endpoint.credentials();
    const client = new Ollama({
      host: endpoint.baseUrl,
      fetch: wire.fetch,
      headers: apiKey ? { Authorization: `Bearer ${apiKey}` } : {},
    });
    const answer: unknown = await client.chat({
      model,
      messages: [...(system ? [{ role: 'system', content: system }] : []), { role: 'user', content: prompt }],
      stream: false,
      ...(schema ? { format: { ...schema } } : {}),
      options: {
        num_ctx: contextFor(request),
        ...(maxOutputTokens ? { num_predict: maxOutputTokens } : {}),
      },
    });
    const fields = readObject(answer);
    return {
      text: readText(readObject(fields['message'])['content']),
      model: typeof fields['model'] === 'string' ? fields['model'] : model,
      inputTokens: readAmount(fields['prompt_eval_count']),
      outputTokens: readAmount(fields['eval_count']),
    };
  }
}

/**
 * Ollama cuts a prompt that exceeds its context without a word. A change of the context reloads the model,
 * so it goes in powers of two.
 */
function contextFor({ system, prompt, maxOutputTokens }: LlmRequest): number {
  const tokens = 1.5 * estimateTokens(system, prompt) + (maxOutputTokens ?? ROOM_FOR_THE_ANSWER);
  const context = 2 ** Math.ceil(Math.log2(tokens));
  return Math.min(Math.max(context, SMALLEST_CONTEXT), LARGEST_CONTEXT);
}

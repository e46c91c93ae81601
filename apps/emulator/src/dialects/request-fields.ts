import { BadCallError } from './provider-error';

export type JsonRecord = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @throws BadCallError unless the body is a JSON object */
export function recordOf(body: unknown): JsonRecord {
  if (!isRecord(body)) throw new BadCallError('The body must be a JSON object');
  return body;
}

/** @throws BadCallError when the model's name is missing */
export function modelOf(body: JsonRecord): string {
  const { model } = body;
  if (typeof model !== 'string' || model === '') throw new BadCallError('model is required');
  return model;
}

/** A token limit in whichever field the dialect has it; zero and negative ones mean no limit. */
export function tokenLimit(...values: unknown[]): number | undefined {
  return values.find((value): value is number => typeof value === 'number' && value > 0);
}

/**
 * The text of all messages, joined. A message's content is a string, or parts of which those with a
 * `text` count.
 *
 * @throws BadCallError when there are none, or one is not a message
 */
export function promptOf(messages: unknown, system?: unknown): string {
  if (!Array.isArray(messages) || messages.length === 0) {
    throw new BadCallError('messages must be a list with at least one message');
  }
  const texts = messages.map((message: unknown) => {
    if (!isRecord(message) || typeof message['role'] !== 'string') {
      throw new BadCallError('each message needs a role and a content');
    }
    return textOf(message['content']);
  });
  return [textOf(system), ...texts].filter((text) => text !== '').join('\n\n');
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (content === undefined || content === null) return '';
  if (!Array.isArray(content)) throw new BadCallError('content must be a string or a list of parts');
  return content
    .map((part: unknown) => (isRecord(part) && typeof part['text'] === 'string' ? part['text'] : ''))
    .join('\n');
}

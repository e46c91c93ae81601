import type { ChatCall, ChatReply } from '../dialects/dialect';
import { SchemaValue } from './schema-value';

const CHARS_PER_TOKEN = 4;

/** A deterministic count: one token for each four characters begun, at least one. No tokenizer is emulated. */
export function countTokens(text: string): number {
  return Math.max(1, Math.ceil(text.length / CHARS_PER_TOKEN));
}

/**
 * Answers a chat call without a model: a text that says it is emulated, or a value that satisfies the
 * schema. The call's token limit cuts it off as it would cut a model.
 *
 * @param scripted a text to answer instead
 * @throws BadCallError when the schema cannot be satisfied
 */
export function replyTo(call: ChatCall, scripted?: string, reportsUsage = true): ChatReply {
  const text = scripted ?? (call.schema === undefined ? proseFor(call.prompt) : jsonFor(call.schema));
  const most = call.maxTokens === undefined ? Infinity : call.maxTokens * CHARS_PER_TOKEN;
  const sent = text.slice(0, most);
  return {
    text: sent,
    inputTokens: countTokens(call.prompt),
    outputTokens: countTokens(sent),
    truncated: sent.length < text.length,
    reportsUsage,
  };
}

function proseFor(prompt: string): string {
  const words = prompt.split(/\s+/).filter(Boolean);
  const beginning = words.slice(0, 12).join(' ').slice(0, 120);
  return (
    `This text is emulated: no model wrote it. ` +
    `The prompt had ${words.length} words and began: "${beginning}${words.length > 12 ? ' …' : ''}"`
  );
}

function jsonFor(schema: unknown): string {
  return JSON.stringify(schema === true ? { emulated: true } : SchemaValue.of(schema));
}

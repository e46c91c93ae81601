import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { BadCallError } from '../dialects/provider-error';

const MOST_BYTES = 64 * 1_048_576;

export interface JsonBody {
  readonly value: unknown;
  /** SHA-256 of the bytes as sent, hexadecimal. */
  readonly digest: string;
}

/** @throws BadCallError for what is no JSON, and for more than 64 MiB of it */
export async function readJsonBody(request: IncomingMessage): Promise<JsonBody> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) chunks.length = 0;
    else chunks.push(chunk);
  }
  // Only now: leaving the loop early would destroy the socket, and nobody would read the refusal.
  if (bytes > MOST_BYTES) throw new BadCallError('The body is larger than 64 MiB', 'too_large');
  const raw = Buffer.concat(chunks);
  try {
    return {
      value: JSON.parse(raw.toString('utf8')) as unknown,
      digest: createHash('sha256').update(raw).digest('hex'),
    };
  } catch {
    throw new BadCallError('The body is not valid JSON');
  }
}

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

const KEY_FORM = /^ql_[0-9a-f]{8}_[A-Za-z0-9_-]{32}$/;
const PREFIX_LENGTH = 'ql_'.length + 8;

/** Makes a key with 192 random bits behind its visible prefix. */
export function newKeySecret(): string {
  return `ql_${randomBytes(4).toString('hex')}_${randomBytes(24).toString('base64url')}`;
}

/** The visible part of a key of ours; undefined for anything that does not have its form. */
export function prefixOf(key: string): string | undefined {
  return KEY_FORM.test(key) ? key.slice(0, PREFIX_LENGTH) : undefined;
}

export function sha256Of(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** Compares in constant time, so that an answer's delay says nothing about how much of a key was right. */
export function matchesSha256(key: string, sha256: string): boolean {
  return timingSafeEqual(Buffer.from(sha256Of(key), 'hex'), Buffer.from(sha256, 'hex'));
}

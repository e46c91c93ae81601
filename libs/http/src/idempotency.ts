import { Injectable } from '@nestjs/common';
import { ConflictError } from '@app/kernel';
import { createHash } from 'node:crypto';
import type { EntityManager } from 'typeorm';

/** One use of an `Idempotency-Key`. */
export interface IdempotencyClaim {
  readonly teamId: string;
  /** What the key is for: the same text may be used for a session and for a generation. */
  readonly scope: string;
  readonly key: string;
  /** All that makes two requests the same one; compared as canonical JSON. */
  readonly content: unknown;
  /** Id that the new resource gets if the key is new. */
  readonly resourceId: string;
}

/** For how long a key is remembered at least, in hours: no client repeats a request for longer. */
const KEEP_HOURS = 24;

/** Keys forgotten for each new one: more than one, so that what piled up goes; few, so that no request waits. */
const FORGET_AT_ONCE = 20;

/** Remembers which request made what, so that one that is repeated makes nothing twice. */
@Injectable()
export class Idempotency {
  /**
   * Claims the key within the transaction that makes the resource, so that both exist or none. A repetition
   * that comes while the first is still under way waits for it here.
   *
   * @returns the id that an earlier, equal request made; undefined when this is the first
   * @throws ConflictError when the key was used for another content
   */
  async claim(manager: EntityManager, claim: IdempotencyClaim): Promise<string | undefined> {
    const { teamId, scope, key, resourceId } = claim;
    const fingerprint = fingerprintOf(claim.content);
    const inserted = await manager.query<unknown[]>(
      `INSERT INTO idempotency_keys (team_id, scope, key, fingerprint, resource_id) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT DO NOTHING RETURNING 1`,
      [teamId, scope, key, fingerprint, resourceId],
    );
    if (inserted.length > 0) {
      await this.forgetOld(manager);
      return undefined;
    }
    const [earlier] = await manager.query<Array<{ fingerprint: string; resource_id: string }>>(
      'SELECT fingerprint, resource_id FROM idempotency_keys WHERE team_id = $1 AND scope = $2 AND key = $3',
      [teamId, scope, key],
    );
    if (earlier?.fingerprint !== fingerprint) {
      throw new ConflictError('This Idempotency-Key was used for a request with another content');
    }
    return earlier.resource_id;
  }

  private async forgetOld(manager: EntityManager): Promise<void> {
    await manager.query(
      `DELETE FROM idempotency_keys WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM idempotency_keys WHERE created_at < now() - make_interval(hours => $1)
         LIMIT $2 FOR UPDATE SKIP LOCKED))`,
      [KEEP_HOURS, FORGET_AT_ONCE],
    );
  }
}

function fingerprintOf(content: unknown): string {
  return createHash('sha256').update(canonicalJson(content)).digest('hex');
}

/** JSON with sorted keys, so that their order makes no difference. */
function canonicalJson(content: unknown): string {
  return JSON.stringify(content, (_, value: unknown) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
  });
}

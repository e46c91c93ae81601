import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { AppConfig } from '@app/config';
import { newId, NotFoundError } from '@app/kernel';
import { IsNull, Repository } from 'typeorm';
import { ApiKey } from './api-key.entity';
import { matchesSha256, newKeySecret, prefixOf, sha256Of } from './key-secret';
import type { Principal } from './principal';
import { DEFAULT_TEAM_ID } from './team.entity';

/** Issues, recognises and revokes API keys. */
@Injectable()
export class ApiKeys {
  private readonly bootstrapSha256: string | undefined;

  constructor(
    config: AppConfig,
    @InjectRepository(ApiKey) private readonly keys: Repository<ApiKey>,
  ) {
    this.bootstrapSha256 = config.QB_ADMIN_API_KEY && sha256Of(config.QB_ADMIN_API_KEY);
  }

  /** Undefined for an unknown or revoked key. */
  async findPrincipal(key: string): Promise<Principal | undefined> {
    if (this.bootstrapSha256 && matchesSha256(key, this.bootstrapSha256)) {
      return { teamId: DEFAULT_TEAM_ID, role: 'admin', keyId: 'bootstrap' };
    }
    const prefix = prefixOf(key);
    if (!prefix) return undefined;
    const row = await this.keys.findOneBy({ prefix, revokedAt: IsNull() });
    if (!row || !matchesSha256(key, row.keySha256)) return undefined;
    return { teamId: row.teamId, role: row.role, keyId: row.id };
  }

  /** The key is in the answer this once and nowhere else. */
  async issue(teamId: string, name: string): Promise<{ id: string; name: string; key: string }> {
    const key = newKeySecret();
    const id = newId();
    const prefix = prefixOf(key) ?? '';
    await this.keys.insert({
      id,
      teamId,
      name,
      role: 'member',
      prefix,
      keySha256: sha256Of(key),
      revokedAt: null,
    });
    return { id, name, key };
  }

  async listOf(teamId: string): Promise<ApiKey[]> {
    return this.keys.find({ where: { teamId, revokedAt: IsNull() }, order: { id: 'ASC' } });
  }

  /** @throws NotFoundError when there is no such key, or it was revoked before. */
  async revoke(id: string): Promise<void> {
    const { affected } = await this.keys.update({ id, revokedAt: IsNull() }, { revokedAt: new Date() });
    if (!affected) throw new NotFoundError('key');
  }
}

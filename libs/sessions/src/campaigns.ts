import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { ConflictError, newId, NotFoundError } from '@app/kernel';
import { isForeignKeyViolation } from '@app/persistence';
import { LessThan, Repository } from 'typeorm';
import { Campaign } from './campaign.entity';

/** The campaigns of each team. */
@Injectable()
export class Campaigns {
  constructor(@InjectRepository(Campaign) private readonly campaigns: Repository<Campaign>) {}

  async create(teamId: string, name: string): Promise<Campaign> {
    const id = newId();
    await this.campaigns.insert({ id, teamId, name });
    return this.get(teamId, id);
  }

  /** @throws NotFoundError also for another team's campaign. */
  async get(teamId: string, id: string): Promise<Campaign> {
    const campaign = await this.campaigns.findOneBy({ id, teamId });
    if (!campaign) throw new NotFoundError('campaign');
    return campaign;
  }

  /** Newest first; one row more than `limit` says that there are more. */
  async list(teamId: string, limit: number, beforeId?: string): Promise<Campaign[]> {
    return this.campaigns.find({
      where: { teamId, ...(beforeId ? { id: LessThan(beforeId) } : {}) },
      order: { id: 'DESC' },
      take: limit + 1,
    });
  }

  /** @throws NotFoundError */
  async rename(teamId: string, id: string, name: string): Promise<Campaign> {
    await this.campaigns.update({ id, teamId }, { name });
    return this.get(teamId, id);
  }

  /** @throws NotFoundError, ConflictError while it holds sessions */
  async remove(teamId: string, id: string): Promise<void> {
    try {
      const { affected } = await this.campaigns.delete({ id, teamId });
      if (!affected) throw new NotFoundError('campaign');
    } catch (error) {
      if (!isForeignKeyViolation(error)) throw error;
      throw new ConflictError('The campaign still holds sessions; delete those first', { cause: error });
    }
  }
}

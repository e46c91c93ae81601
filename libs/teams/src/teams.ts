import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { ConflictError, newId, NotFoundError } from '@app/kernel';
import { isUniqueViolation } from '@app/persistence';
import { LessThan, Repository } from 'typeorm';
import { Team } from './team.entity';

/** The teams that share this installation. */
@Injectable()
export class Teams {
  constructor(@InjectRepository(Team) private readonly teams: Repository<Team>) {}

  /** @throws ConflictError when the name is taken. */
  async create(name: string): Promise<Team> {
    const id = newId();
    try {
      await this.teams.insert({ id, name });
    } catch (error) {
      if (isUniqueViolation(error))
        throw new ConflictError('A team of this name exists already', { cause: error });
      throw error;
    }
    return this.get(id);
  }

  /** @throws NotFoundError */
  async get(id: string): Promise<Team> {
    const team = await this.teams.findOneBy({ id });
    if (!team) throw new NotFoundError('team');
    return team;
  }

  /** Newest first; one row more than `limit` says that there are more. */
  async list(limit: number, beforeId?: string): Promise<Team[]> {
    return this.teams.find({
      where: beforeId ? { id: LessThan(beforeId) } : {},
      order: { id: 'DESC' },
      take: limit + 1,
    });
  }
}

import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApiKey } from './api-key.entity';
import { ApiKeyGuard } from './api-key.guard';
import { ApiKeys } from './api-keys';
import { Team } from './team.entity';
import { Teams } from './teams';

@Module({
  imports: [TypeOrmModule.forFeature([Team, ApiKey])],
  providers: [Teams, ApiKeys, ApiKeyGuard],
  exports: [Teams, ApiKeys, ApiKeyGuard],
})
export class TeamsModule {}

import { Module } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AppConfig } from '@app/config';
import { ApiKey } from './api-key.entity';
import { ApiKeyGuard } from './api-key.guard';
import { ApiKeys } from './api-keys';
import { RateLimitGuard } from './rate-limit.guard';
import { Team } from './team.entity';
import { Teams } from './teams';

@Module({
  imports: [TypeOrmModule.forFeature([Team, ApiKey])],
  providers: [
    Teams,
    ApiKeys,
    ApiKeyGuard,
    {
      // By hand: the library's guard carries injection marks for its own constructor, which ours would inherit.
      provide: RateLimitGuard,
      inject: [AppConfig, Reflector],
      useFactory: (config: AppConfig, reflector: Reflector) => new RateLimitGuard(config, reflector),
    },
  ],
  exports: [Teams, ApiKeys, ApiKeyGuard, RateLimitGuard],
})
export class TeamsModule {}

export { AdminOnly, CurrentPrincipal, Public } from './access.decorators';
export { ApiKey } from './api-key.entity';
export { ApiKeyGuard } from './api-key.guard';
export { ApiKeys } from './api-keys';
export type { Principal } from './principal';
export { RateLimitGuard } from './rate-limit.guard';
export { DEFAULT_TEAM_ID, Team } from './team.entity';
export { Teams } from './teams';
export { TeamsModule } from './teams.module';

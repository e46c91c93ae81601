import { Body, Controller, Put } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiProperty, ApiPropertyOptional, ApiTags } from '@nestjs/swagger';
import { EVERY_TEAM, FLEET_CAP, GenerationLimits, teamCapOf } from '@app/generations';
import { ApiProblems } from '@app/http';
import { ValidationFailedError } from '@app/kernel';
import { AdminOnly, CurrentPrincipal, type Principal, Teams } from '@app/teams';
import { IsInt, IsOptional, IsUUID, Max, Min, ValidateIf } from 'class-validator';
import { LimitOverrides } from './limit-overrides';

const LARGEST_LIMIT = 100_000;

/** Absent: left as it is. `null`: the override is removed. */
const IsLimitChange = (): PropertyDecorator => (target, property) => {
  ValidateIf((_, value) => value !== undefined && value !== null)(target, property);
  for (const decorate of [IsInt(), Min(1), Max(LARGEST_LIMIT)]) decorate(target, property);
};

class CapsChangeDto {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    nullable: true,
    description: 'null: the default again',
  })
  @IsLimitChange()
  generation_fleet_limit?: number | null;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    nullable: true,
    description: 'Of the team, or without `team_id` of every team that has none of its own',
  })
  @IsLimitChange()
  generation_team_limit?: number | null;

  @ApiPropertyOptional({ format: 'uuid' })
  @IsOptional()
  @IsUUID()
  team_id?: string;
}

class CapsInForceDto {
  @ApiProperty({ type: 'integer' })
  generation_fleet_limit!: number;

  @ApiProperty({ type: 'integer' })
  generation_team_limit!: number;

  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  team_id!: string | null;
}

@ApiTags('admin')
@ApiBearerAuth()
@AdminOnly()
@ApiProblems('unauthorized', 'forbidden', 'too_many_requests')
@Controller('api/admin/caps')
export class AdminCapsController {
  constructor(
    private readonly overrides: LimitOverrides,
    private readonly limits: GenerationLimits,
    private readonly teams: Teams,
  ) {}

  /** In force at the next admission, everywhere. Lowering never interrupts a running call. */
  @Put()
  @ApiOkResponse({ type: CapsInForceDto })
  @ApiProblems('validation_failed', 'not_found', 'service_unavailable')
  async setCaps(
    @CurrentPrincipal() { keyId }: Principal,
    @Body() change: CapsChangeDto,
  ): Promise<CapsInForceDto> {
    const { generation_fleet_limit: fleet, generation_team_limit: team, team_id: teamId } = change;
    refuseEmpty(change);
    if (teamId !== undefined) await this.teams.get(teamId);
    if (fleet !== undefined) await this.overrides.set(FLEET_CAP, fleet, keyId);
    if (team !== undefined) {
      const cap = teamId === undefined ? EVERY_TEAM : teamCapOf(teamId.toLowerCase());
      await this.overrides.set(cap, team, keyId);
    }
    const inForce = await this.limits.inForce(teamId?.toLowerCase());
    return {
      generation_fleet_limit: inForce.fleet,
      generation_team_limit: inForce.team,
      team_id: teamId ?? null,
    };
  }
}

/** @throws ValidationFailedError for a change that changes nothing: most likely a field is misspelt or forgotten. */
function refuseEmpty({
  generation_fleet_limit: fleet,
  generation_team_limit: team,
  team_id,
}: CapsChangeDto): void {
  if (team_id !== undefined && team === undefined) {
    const problem = 'is needed with team_id';
    throw new ValidationFailedError([{ field: 'generation_team_limit', problem }]);
  }
  if (fleet === undefined && team === undefined) {
    const problem = 'or generation_team_limit is needed';
    throw new ValidationFailedError([{ field: 'generation_fleet_limit', problem }]);
  }
}

import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiProperty,
  ApiTags,
} from '@nestjs/swagger';
import { ApiProblems, decodeCursor, IdParamPipe, PageQueryDto, toPage } from '@app/http';
import { AdminOnly, type ApiKey, ApiKeys, type Team, Teams } from '@app/teams';
import { Transform } from 'class-transformer';
import { IsNotEmpty, IsString, MaxLength } from 'class-validator';

class NameDto {
  @ApiProperty({ example: 'Studio Nord', maxLength: 100 })
  @Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value))
  @IsString()
  @IsNotEmpty()
  @MaxLength(100)
  name!: string;
}

class TeamDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty()
  name!: string;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;

  static of({ id, name, createdAt }: Team): TeamDto {
    return { id, name, created_at: createdAt.toISOString() };
  }
}

class TeamPageDto {
  @ApiProperty({ type: [TeamDto] })
  items!: TeamDto[];

  @ApiProperty({ type: String, nullable: true })
  next_cursor!: string | null;
}

class NewKeyDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty()
  name!: string;

  @ApiProperty({ description: 'Shown this once' })
  key!: string;
}

class KeyDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty()
  name!: string;

  @ApiProperty({ example: 'ql_0a1b2c3d' })
  prefix!: string;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;

  static of({ id, name, prefix, createdAt }: ApiKey): KeyDto {
    return { id, name, prefix, created_at: createdAt.toISOString() };
  }
}

class KeyListDto {
  @ApiProperty({ type: [KeyDto] })
  items!: KeyDto[];
}

@ApiTags('admin')
@ApiBearerAuth()
@AdminOnly()
@ApiProblems('unauthorized', 'forbidden', 'too_many_requests', 'service_unavailable')
@Controller('api/admin')
export class AdminTeamsController {
  constructor(
    private readonly teams: Teams,
    private readonly apiKeys: ApiKeys,
  ) {}

  @Post('teams')
  @ApiCreatedResponse({ type: TeamDto })
  @ApiProblems('validation_failed', 'conflict')
  async createTeam(@Body() { name }: NameDto): Promise<TeamDto> {
    return TeamDto.of(await this.teams.create(name));
  }

  @Get('teams')
  @ApiOkResponse({ type: TeamPageDto })
  @ApiProblems('validation_failed')
  async listTeams(@Query() { limit, cursor }: PageQueryDto): Promise<TeamPageDto> {
    return toPage(await this.teams.list(limit, decodeCursor(cursor)), limit, (team) => TeamDto.of(team));
  }

  /** The key is in this answer and nowhere else. */
  @Post('teams/:id/keys')
  @ApiCreatedResponse({ type: NewKeyDto })
  @ApiProblems('validation_failed', 'not_found')
  async issueKey(@Param('id', IdParamPipe) teamId: string, @Body() { name }: NameDto): Promise<NewKeyDto> {
    await this.teams.get(teamId);
    return this.apiKeys.issue(teamId, name);
  }

  @Get('teams/:id/keys')
  @ApiOkResponse({ type: KeyListDto })
  @ApiProblems('not_found')
  async listKeys(@Param('id', IdParamPipe) teamId: string): Promise<KeyListDto> {
    await this.teams.get(teamId);
    return { items: (await this.apiKeys.listOf(teamId)).map((key) => KeyDto.of(key)) };
  }

  @Delete('keys/:id')
  @HttpCode(204)
  @ApiNoContentResponse()
  @ApiProblems('not_found')
  async revokeKey(@Param('id', IdParamPipe) id: string): Promise<void> {
    await this.apiKeys.revoke(id);
  }
}

import { Body, Controller, Get, HttpCode, Post, Put, Res } from '@nestjs/common';
import { ApiBearerAuth, ApiOkResponse, ApiProperty, ApiTags } from '@nestjs/swagger';
import { abortWithClient, ApiProblems } from '@app/http';
import { endpointCapName, ProviderEndpoints } from '@app/providers';
import { AdminOnly, CurrentPrincipal, type Principal } from '@app/teams';
import { IsIn, IsInt, IsString, Matches, Max, Min, ValidateIf } from 'class-validator';
import type { Response } from 'express';
import { LimitOverrides } from './limit-overrides';
import { ProviderTest, type ProviderTestResult } from './provider-test';
import { QueueState } from './queue-state';
import { QueueStateDto } from './queue-state.dto';

const LARGEST_LIMIT = 100_000;

class LimitChangeDto {
  @ApiProperty({ enum: ['asr', 'llm'] })
  @IsIn(['asr', 'llm'])
  kind!: 'asr' | 'llm';

  @ApiProperty({ example: 'whisperx' })
  @IsString()
  @Matches(/^[a-z]{1,40}$/)
  provider!: string;

  @ApiProperty({ example: 'gpu:9000', description: 'host:port as the admin queue shows it' })
  @IsString()
  @Matches(/^[^\s]{1,255}$/)
  host!: string;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    nullable: true,
    example: 2,
    description: 'null removes the override',
  })
  @ValidateIf((_, value) => value !== null)
  @IsInt()
  @Min(1)
  @Max(LARGEST_LIMIT)
  limit!: number | null;
}

class LimitInForceDto {
  @ApiProperty({ type: 'integer', nullable: true, description: 'null: uncapped' })
  limit!: number | null;

  @ApiProperty({ enum: ['override', 'environment', 'advertised', 'declared', 'none'] })
  limit_source!: string;
}

class ProviderTestDto {
  @ApiProperty({ enum: ['asr', 'llm'] })
  @IsIn(['asr', 'llm'])
  kind!: 'asr' | 'llm';
}

class ProviderTestResultDto implements ProviderTestResult {
  @ApiProperty({ enum: ['asr', 'llm'] })
  kind!: 'asr' | 'llm';

  @ApiProperty()
  provider!: string;

  @ApiProperty()
  model!: string;

  @ApiProperty({ type: 'integer' })
  duration_ms!: number;
}

@ApiTags('admin')
@ApiBearerAuth()
@AdminOnly()
@ApiProblems('unauthorized', 'forbidden', 'too_many_requests')
@Controller('api/admin/ai')
export class AdminAiController {
  constructor(
    private readonly queueState: QueueState,
    private readonly overrides: LimitOverrides,
    private readonly endpoints: ProviderEndpoints,
    private readonly providerTest: ProviderTest,
  ) {}

  /** Every endpoint and cap: limit, in use, waiting, estimate. Answers also while a provider or Redis is away. */
  @Get('queue')
  @ApiOkResponse({ type: QueueStateDto })
  async queue(): Promise<QueueStateDto> {
    return this.queueState.read();
  }

  /** In force at the next admission, everywhere. Lowering never interrupts a running call. */
  @Put('limits')
  @ApiOkResponse({ type: LimitInForceDto })
  @ApiProblems('validation_failed', 'service_unavailable')
  async setLimit(
    @CurrentPrincipal() { keyId }: Principal,
    @Body() change: LimitChangeDto,
  ): Promise<LimitInForceDto> {
    const { kind, provider, host, limit } = change;
    const cap = `${kind}:${provider}:${host}`;
    await this.overrides.set(cap, limit, keyId);
    if (limit !== null) return { limit, limit_source: 'override' };
    const configured = this.endpoints.all().find(({ endpoint }) => endpointCapName(endpoint) === cap);
    return { limit: configured?.limit ?? null, limit_source: configured?.limitSource ?? 'none' };
  }

  /** One tiny real call; refused at once while the endpoint is full. */
  @Post('test')
  @HttpCode(200)
  @ApiOkResponse({ type: ProviderTestResultDto })
  @ApiProblems(
    'validation_failed',
    'provider_busy',
    'provider_rate_limited',
    'provider_rejected',
    'provider_timeout',
  )
  async test(
    @CurrentPrincipal() { teamId }: Principal,
    @Body() { kind }: ProviderTestDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ProviderTestResultDto> {
    return this.providerTest.run(kind, teamId, abortWithClient(response));
  }
}

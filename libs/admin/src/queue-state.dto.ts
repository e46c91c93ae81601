import { ApiProperty } from '@nestjs/swagger';

const NULL_WHEN_AWAY = 'null while Redis is away';

class GateDto {
  @ApiProperty({ example: 'rate_limited', description: 'The refusal that closed it' })
  reason!: string;

  @ApiProperty({ format: 'date-time' })
  until!: string;
}

export class EndpointStateDto {
  @ApiProperty({ enum: ['asr', 'llm'] })
  kind!: 'asr' | 'llm';

  @ApiProperty({ example: 'whisperx' })
  provider!: string;

  @ApiProperty({ example: 'gpu:9000' })
  host!: string;

  @ApiProperty({ type: 'integer', nullable: true, example: 1, description: 'null: uncapped' })
  limit!: number | null;

  @ApiProperty({ enum: ['override', 'environment', 'advertised', 'declared', 'none'] })
  limit_source!: 'override' | 'environment' | 'advertised' | 'declared' | 'none';

  @ApiProperty({ type: 'integer', nullable: true, description: `Held and overrun; ${NULL_WHEN_AWAY}` })
  in_use!: number | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: `Parked, offered and waiting in place; ${NULL_WHEN_AWAY}`,
  })
  waiting!: number | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'For one that would join now; null without history',
  })
  estimated_wait_seconds!: number | null;

  @ApiProperty({ type: 'integer', nullable: true })
  oldest_wait_seconds!: number | null;

  @ApiProperty({ type: GateDto, nullable: true, description: 'Set while the provider asked us to pause' })
  gate!: GateDto | null;
}

export class CapStateDto {
  @ApiProperty({ example: 'generations' })
  name!: string;

  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  team_id!: string | null;

  @ApiProperty({ type: 'integer', nullable: true })
  limit!: number | null;

  @ApiProperty({ type: 'integer', nullable: true })
  in_use!: number | null;

  @ApiProperty({ type: 'integer', nullable: true })
  waiting!: number | null;
}

export class QueueStateDto {
  @ApiProperty({ format: 'date-time' })
  generated_at!: string;

  @ApiProperty({ description: 'true while Redis is away and slots run on a local cap' })
  degraded!: boolean;

  @ApiProperty({ type: [EndpointStateDto] })
  endpoints!: EndpointStateDto[];

  @ApiProperty({ type: [CapStateDto] })
  caps!: CapStateDto[];
}

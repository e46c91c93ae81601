import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { PageQueryDto } from '@app/http';
import { Type } from 'class-transformer';
import { IsDate, IsOptional, IsUUID } from 'class-validator';
import type { UsageDay, UsageItem, UsageTotals } from '../usage-ledger';

export class UsageQueryDto extends PageQueryDto {
  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'Inclusive' })
  @IsOptional()
  @Type(() => Date)
  @IsDate()
  from?: Date;

  @ApiPropertyOptional({ type: String, format: 'date-time', description: 'Exclusive' })
  @IsOptional()
  @Type(() => Date)
  @IsDate()
  to?: Date;

  @ApiPropertyOptional({
    format: 'uuid',
    description: 'Of this session alone: its runs and the questions about it',
  })
  @IsOptional()
  @IsUUID()
  session_id?: string;
}

export class UsageItemDto implements UsageItem {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ enum: ['session', 'generation', 'request'] })
  source!: 'session' | 'generation' | 'request';

  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  session_id!: string | null;

  @ApiProperty({ type: 'integer', nullable: true })
  run!: number | null;

  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  generation_id!: string | null;

  @ApiProperty({ format: 'uuid' })
  team_id!: string;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;

  @ApiProperty({ example: 'completed' })
  status!: string;

  @ApiProperty({ type: 'integer' })
  retry_count!: number;

  @ApiProperty({ type: String, nullable: true })
  asr_provider!: string | null;

  @ApiProperty({ type: Number })
  audio_seconds!: number;

  @ApiProperty({ type: 'integer' })
  asr_ms!: number;

  @ApiProperty({ type: String, nullable: true })
  llm_provider!: string | null;

  @ApiProperty({ type: String, nullable: true })
  model!: string | null;

  @ApiProperty({ type: 'integer' })
  input_tokens!: number;

  @ApiProperty({ type: 'integer' })
  output_tokens!: number;

  @ApiProperty({ type: 'integer' })
  llm_calls!: number;

  @ApiProperty({ description: 'true when the provider reported no amounts and these are a guess' })
  estimated!: boolean;

  @ApiProperty({ type: 'integer', description: 'Micro-units of the billing currency' })
  cost_micros!: number;
}

export class UsageTotalsDto implements UsageTotals {
  @ApiProperty({ type: 'integer' })
  rows!: number;

  @ApiProperty({ type: Number })
  audio_seconds!: number;

  @ApiProperty({ type: 'integer' })
  asr_ms!: number;

  @ApiProperty({ type: 'integer' })
  input_tokens!: number;

  @ApiProperty({ type: 'integer' })
  output_tokens!: number;

  @ApiProperty({ type: 'integer' })
  llm_calls!: number;

  @ApiProperty({ type: 'integer' })
  cost_micros!: number;
}

export class UsageDayDto extends UsageTotalsDto implements UsageDay {
  @ApiProperty({ example: '2026-12-01', description: 'UTC' })
  day!: string;

  @ApiProperty({ format: 'uuid' })
  team_id!: string;
}

export class UsagePageDto {
  @ApiProperty({ type: [UsageItemDto] })
  items!: UsageItem[];

  @ApiProperty({ type: String, nullable: true })
  next_cursor!: string | null;

  @ApiProperty({ type: UsageTotalsDto, description: 'Over all rows of the question, not of this page alone' })
  totals!: UsageTotals;
}

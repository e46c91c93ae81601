import { ApiProperty } from '@nestjs/swagger';
import { GENERATION_STATUSES, type GenerationStatus } from '../generation-status';
import type { Generation } from '../generation.entity';

export class PostedGenerationDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ enum: GENERATION_STATUSES, example: 'pending' })
  status!: GenerationStatus;
}

class GenerationErrorDto {
  @ApiProperty({ example: 'task_expired' })
  code!: string;

  @ApiProperty()
  message!: string;
}

class GenerationUsageDto {
  @ApiProperty({ type: 'integer' })
  input_tokens!: number;

  @ApiProperty({ type: 'integer' })
  output_tokens!: number;
}

export class GenerationDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ enum: GENERATION_STATUSES, description: '`pending` for as long as it waits or runs' })
  status!: GenerationStatus;

  @ApiProperty({ type: String, nullable: true })
  text!: string | null;

  @ApiProperty({ nullable: true, description: 'The answer as JSON, where a schema was given', type: Object })
  json!: unknown;

  @ApiProperty({ type: GenerationErrorDto, nullable: true })
  error!: GenerationErrorDto | null;

  @ApiProperty({ type: String, nullable: true, description: 'That answered; before, the one asked for' })
  model!: string | null;

  @ApiProperty({ type: GenerationUsageDto, nullable: true })
  usage!: GenerationUsageDto | null;

  @ApiProperty({ type: String, nullable: true })
  workflow_id!: string | null;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  started_at!: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  finished_at!: string | null;

  @ApiProperty({ format: 'date-time' })
  expires_at!: string;

  static of(generation: Generation): GenerationDto {
    const { id, status, text, json, errorCode, errorMessage, inputTokens, outputTokens } = generation;
    return {
      id,
      status,
      text,
      json: json ?? null,
      error: errorCode === null ? null : { code: errorCode, message: errorMessage ?? '' },
      model: generation.answeredBy ?? generation.model,
      usage:
        inputTokens === null || outputTokens === null
          ? null
          : { input_tokens: inputTokens, output_tokens: outputTokens },
      workflow_id: generation.workflowId,
      created_at: generation.createdAt.toISOString(),
      started_at: generation.startedAt?.toISOString() ?? null,
      finished_at: generation.finishedAt?.toISOString() ?? null,
      expires_at: generation.expiresAt.toISOString(),
    };
  }
}

export class GenerationPageDto {
  @ApiProperty({ type: [GenerationDto] })
  items!: GenerationDto[];

  @ApiProperty({ type: String, nullable: true })
  next_cursor!: string | null;
}

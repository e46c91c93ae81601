import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { PageQueryDto } from '@app/http';
import { Transform } from 'class-transformer';
import {
  IsIn,
  IsInt,
  IsNotEmpty,
  IsObject,
  IsOptional,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  Validate,
  type ValidationArguments,
  ValidatorConstraint,
  type ValidatorConstraintInterface,
} from 'class-validator';
import { GENERATION_STATUSES, type GenerationStatus } from '../generation-status';
import type { GenerationWish } from '../generation-store';

const LONGEST_PROMPT = 1_000_000;
const LONGEST_SYSTEM = 100_000;
const LARGEST_SCHEMA_CHARS = 100_000;
const LONGEST_EXPIRY_SECONDS = 30 * 86_400;

/** Postgres stores every character but U+0000. */
const STORABLE = /^[^\u0000]*$/;
const notStorable = { message: '$property must not contain the character U+0000' };

const Trim = () =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value));

@ValidatorConstraint({ name: 'isSmallEnough' })
class IsSmallEnough implements ValidatorConstraintInterface {
  validate(value: unknown): boolean {
    return JSON.stringify(value).length <= LARGEST_SCHEMA_CHARS;
  }

  defaultMessage({ property }: ValidationArguments): string {
    return `${property} must not be longer than ${LARGEST_SCHEMA_CHARS} characters`;
  }
}

export class GenerationWishDto {
  @ApiProperty({ example: 'Name a harbour town.', maxLength: LONGEST_PROMPT })
  @IsString()
  @Matches(/\S/, { message: 'prompt should not be empty' })
  @Matches(STORABLE, notStorable)
  @MaxLength(LONGEST_PROMPT)
  prompt!: string;

  @ApiPropertyOptional({ example: 'Answer in one line.', maxLength: LONGEST_SYSTEM })
  @IsOptional()
  @IsString()
  @Matches(STORABLE, notStorable)
  @MaxLength(LONGEST_SYSTEM)
  system?: string;

  @ApiPropertyOptional({ description: "Instead of the endpoint's own model", maxLength: 200 })
  @IsOptional()
  @Trim()
  @IsString()
  @IsNotEmpty()
  @Matches(STORABLE, notStorable)
  @MaxLength(200)
  model?: string;

  @ApiPropertyOptional({ type: 'integer', minimum: 1, maximum: 1_000_000 })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(1_000_000)
  max_output_tokens?: number;

  @ApiPropertyOptional({
    type: 'object',
    additionalProperties: true,
    description: 'JSON schema (draft 7, or 2020-12 when `$schema` says so) that the answer has to fit',
    example: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  })
  @IsOptional()
  @IsObject()
  @Validate(IsSmallEnough)
  json_schema?: Record<string, unknown>;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: LONGEST_EXPIRY_SECONDS,
    description: 'What has not started by then fails with `task_expired`, unbilled',
  })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(LONGEST_EXPIRY_SECONDS)
  expires_in_seconds?: number;

  @ApiPropertyOptional({ example: 'town-names', maxLength: 200 })
  @IsOptional()
  @Trim()
  @IsString()
  @IsNotEmpty()
  @Matches(STORABLE, notStorable)
  @MaxLength(200)
  workflow_id?: string;
}

/** The wish as the rules know it. */
export function wishOf(dto: GenerationWishDto): GenerationWish {
  const { prompt, system, model, max_output_tokens, json_schema, workflow_id } = dto;
  return {
    prompt,
    system,
    model,
    maxOutputTokens: max_output_tokens,
    jsonSchema: json_schema,
    workflowId: workflow_id,
  };
}

export class GenerationListQueryDto extends PageQueryDto {
  @ApiPropertyOptional({ enum: GENERATION_STATUSES })
  @IsOptional()
  @IsIn(GENERATION_STATUSES)
  status?: GenerationStatus;

  @ApiPropertyOptional({ maxLength: 200 })
  @IsOptional()
  @IsString()
  @Matches(STORABLE, notStorable)
  @MaxLength(200)
  workflow_id?: string;
}

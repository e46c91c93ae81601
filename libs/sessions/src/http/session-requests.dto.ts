import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { PageQueryDto } from '@app/http';
import { Transform, Type } from 'class-transformer';
import {
  IsIn,
  IsInt,
  IsNotEmpty,
  IsOptional,
  IsString,
  IsUUID,
  Matches,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import { SESSION_STATUSES, type SessionStatus } from '../session-status';

const Trim = () =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? value.trim() : value));

/** ISO 639 language, with or without a region. */
const LANGUAGE = /^[a-z]{2,3}(-[A-Za-z0-9]{2,8})?$/;

export class CampaignNameDto {
  @ApiProperty({ example: 'The Sunken Crown', maxLength: 200 })
  @Trim()
  @IsString()
  @IsNotEmpty()
  @MaxLength(200)
  name!: string;
}

export class SessionLabelsDto {
  @ApiPropertyOptional({ example: 'The bridge at dusk', maxLength: 200 })
  @IsOptional()
  @Trim()
  @IsString()
  @MaxLength(200)
  title?: string;

  @ApiPropertyOptional({ example: 'en', description: 'Language spoken in the recording; unset: detected' })
  @IsOptional()
  @Matches(LANGUAGE, { message: 'language must be an ISO 639 code such as "en" or "de-AT"' })
  language?: string;
}

export class SessionListQueryDto extends PageQueryDto {
  @ApiPropertyOptional({ format: 'uuid' })
  @IsOptional()
  @IsUUID()
  campaign_id?: string;

  @ApiPropertyOptional({ enum: SESSION_STATUSES })
  @IsOptional()
  @IsIn(SESSION_STATUSES)
  status?: SessionStatus;
}

export const TRANSCRIPT_FORMATS = ['json', 'txt', 'srt', 'vtt'] as const;

export class TranscriptQueryDto {
  @ApiPropertyOptional({ enum: TRANSCRIPT_FORMATS, default: 'json' })
  @IsOptional()
  @IsIn(TRANSCRIPT_FORMATS)
  format: (typeof TRANSCRIPT_FORMATS)[number] = 'json';
}

export class QuestionDto {
  @ApiProperty({ example: 'Who holds the crown now?', maxLength: 2000 })
  @Trim()
  @IsString()
  @IsNotEmpty()
  @MaxLength(2_000)
  question!: string;
}

export class NamesWishDto {
  @ApiProperty({ example: 'dwarven smiths', maxLength: 80 })
  @Trim()
  @IsString()
  @IsNotEmpty()
  @MaxLength(80)
  what!: string;

  @ApiProperty({ type: 'integer', minimum: 1, maximum: 20, example: 5 })
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(20)
  count!: number;
}

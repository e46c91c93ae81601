import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { Campaign } from '../campaign.entity';
import type { Transcript } from '../checkpoint.entities';
import type { Session } from '../session.entity';
import { SESSION_STATUSES, type SessionPhase, type SessionStatus } from '../session-status';
import type { ProcessingWait } from '../session-waits';

export class CampaignDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ example: 'The Sunken Crown' })
  name!: string;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;

  static of({ id, name, createdAt }: Campaign): CampaignDto {
    return { id, name, created_at: createdAt.toISOString() };
  }
}

export class CampaignPageDto {
  @ApiProperty({ type: [CampaignDto] })
  items!: CampaignDto[];

  @ApiProperty({ type: String, nullable: true })
  next_cursor!: string | null;
}

class AudioDto {
  @ApiProperty({ type: 'integer', example: 158_444 })
  bytes!: number;

  @ApiProperty({
    type: Number,
    nullable: true,
    example: 4.95,
    description: 'null where the file does not say',
  })
  duration_seconds!: number | null;

  @ApiProperty({ example: 'audio/wav' })
  content_type!: string;
}

class FailureDto {
  @ApiProperty({ example: 'capacity_exhausted' })
  code!: string;

  @ApiProperty()
  message!: string;
}

export class ProcessingWaitDto {
  @ApiProperty({ enum: ['asr', 'llm'] })
  kind!: SessionPhase;

  @ApiProperty({ type: 'integer', example: 3, description: 'How many are ahead; 0 is next' })
  position!: number;

  @ApiProperty({ type: 'integer', nullable: true, example: 720, description: 'null until there is history' })
  estimated_seconds!: number | null;

  @ApiProperty({ format: 'date-time' })
  since!: string;

  @ApiPropertyOptional({
    format: 'date-time',
    description: 'Only while the provider asked us to pause: when it may be asked again',
  })
  paused_until?: string;
}

/** A session as lists show it. */
export class SessionSummaryDto {
  @ApiProperty({ format: 'uuid' })
  id!: string;

  @ApiProperty({ format: 'uuid' })
  campaign_id!: string;

  @ApiProperty({ type: String, nullable: true, example: 'The bridge at dusk' })
  title!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'en' })
  language!: string | null;

  @ApiProperty({ enum: SESSION_STATUSES, example: 'queued' })
  status!: SessionStatus;

  @ApiProperty({ enum: ['asr', 'llm'], nullable: true, type: String })
  phase!: SessionPhase | null;

  @ApiProperty({ type: 'integer', example: 1 })
  run!: number;

  @ApiProperty({ type: 'integer', example: 0, description: 'How often the run was put back or paused' })
  retry_count!: number;

  @ApiProperty({ format: 'date-time' })
  created_at!: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  started_at!: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  finished_at!: string | null;

  @ApiProperty({ type: AudioDto })
  audio!: AudioDto;

  @ApiProperty({ type: FailureDto, nullable: true })
  error!: FailureDto | null;

  static of(session: Session): SessionSummaryDto {
    return {
      id: session.id,
      campaign_id: session.campaignId,
      title: session.title,
      language: session.language,
      status: session.status,
      phase: session.phase,
      run: session.run,
      retry_count: session.retryCount,
      created_at: session.createdAt.toISOString(),
      started_at: session.startedAt?.toISOString() ?? null,
      finished_at: session.finishedAt?.toISOString() ?? null,
      audio: {
        bytes: session.audioBytes,
        duration_seconds: session.audioDurationSeconds,
        content_type: session.audioContentType,
      },
      error: session.errorCode ? { code: session.errorCode, message: session.errorMessage ?? '' } : null,
    };
  }
}

export class SessionDto extends SessionSummaryDto {
  @ApiProperty({ type: String, nullable: true })
  recap!: string | null;

  @ApiProperty({ type: ProcessingWaitDto, nullable: true, description: 'null when nothing waits' })
  processing_wait!: ProcessingWait | null;

  static whole(session: Session, recap: string | null, wait: ProcessingWait | null): SessionDto {
    return { ...SessionSummaryDto.of(session), recap, processing_wait: wait };
  }
}

export class SessionPageDto {
  @ApiProperty({ type: [SessionSummaryDto] })
  items!: SessionSummaryDto[];

  @ApiProperty({ type: String, nullable: true })
  next_cursor!: string | null;
}

class SegmentDto {
  @ApiProperty({ type: Number, example: 0.4 })
  start!: number;

  @ApiProperty({ type: Number, example: 3.2 })
  end!: number;

  @ApiProperty({ type: String, nullable: true })
  speaker!: string | null;

  @ApiProperty()
  text!: string;
}

export class TranscriptDto {
  @ApiProperty({ type: String, nullable: true, example: 'en' })
  language!: string | null;

  @ApiProperty({ type: Number, example: 4.95 })
  duration_seconds!: number;

  @ApiProperty({ type: [SegmentDto] })
  segments!: SegmentDto[];

  static of({ language, durationSeconds, segments }: Transcript): TranscriptDto {
    return { language, duration_seconds: durationSeconds, segments };
  }
}

export class AnswerDto {
  @ApiProperty()
  answer!: string;

  @ApiProperty()
  model!: string;
}

export class NamesDto {
  @ApiProperty({ type: [String] })
  names!: string[];
}

import { bigintAsNumber } from '@app/persistence';
import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';
import type { SessionPhase, SessionStatus } from './session-status';

/** One recording and where it stands. Workers write single columns, guarded by run and status. */
@Entity('sessions')
@Index(['teamId', 'id'])
@Index(['campaignId', 'id'])
export class Session {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'team_id' })
  teamId!: string;

  @Column('uuid', { name: 'campaign_id' })
  campaignId!: string;

  @Column('text', { nullable: true })
  title!: string | null;

  @Column('text', { nullable: true })
  language!: string | null;

  @Column('text')
  status!: SessionStatus;

  @Column('text', { nullable: true })
  phase!: SessionPhase | null;

  @Column('integer', { default: 1 })
  run!: number;

  /** Admission number of this run, kept here so that it outlives Redis. */
  @Column('bigint', { nullable: true })
  ticket!: string | null;

  @Column('integer', { name: 'retry_count', default: 0 })
  retryCount!: number;

  @Column('text', { name: 'recording_key' })
  recordingKey!: string;

  @Column('bigint', { name: 'audio_bytes', transformer: bigintAsNumber })
  audioBytes!: number;

  @Column('double precision', { name: 'audio_duration_seconds', nullable: true })
  audioDurationSeconds!: number | null;

  @Column('text', { name: 'audio_content_type' })
  audioContentType!: string;

  @Column('text', { name: 'error_code', nullable: true })
  errorCode!: string | null;

  @Column('text', { name: 'error_message', nullable: true })
  errorMessage!: string | null;

  @Column('integer', { default: 1 })
  version!: number;

  @CreateDateColumn({ type: 'timestamptz', name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'started_at', nullable: true })
  startedAt!: Date | null;

  @Column('timestamptz', { name: 'finished_at', nullable: true })
  finishedAt!: Date | null;
}

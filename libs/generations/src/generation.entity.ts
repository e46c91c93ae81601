import { bigintAsNumber } from '@app/persistence';
import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';
import type { GenerationStatus } from './generation-status';

/** One text that a team asked for, and where it stands. It leaves `pending` once and for ever. */
@Entity('generations')
@Index(['teamId', 'id'])
@Index(['teamId', 'status', 'id'])
@Index(['teamId', 'workflowId', 'id'], { where: 'workflow_id IS NOT NULL' })
export class Generation {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'team_id' })
  teamId!: string;

  @Column('text', { name: 'workflow_id', nullable: true })
  workflowId!: string | null;

  @Column('text')
  status!: GenerationStatus;

  @Column('text')
  prompt!: string;

  @Column('text', { nullable: true })
  system!: string | null;

  /** The model asked for; null is the endpoint's own. */
  @Column('text', { nullable: true })
  model!: string | null;

  @Column('integer', { name: 'max_output_tokens', nullable: true })
  maxOutputTokens!: number | null;

  /** `json`, not `jsonb`: the order of keys is the caller's, and so is every character that JSON allows. */
  @Column('json', { name: 'json_schema', nullable: true })
  jsonSchema!: Record<string, unknown> | null;

  /** Name in Redis of the queue it was posted to; the setting may be another one by now. */
  @Column('text', { default: 'generations' })
  queue!: string;

  /** Somebody waits for the end of this one; it is announced. */
  @Column('boolean', { default: false })
  preview!: boolean;

  /** Admission number, kept here so that it outlives Redis. */
  @Column('bigint', { nullable: true })
  ticket!: string | null;

  /** The last lease it was granted: a result that comes under another one is late and changes nothing. */
  @Column('text', { name: 'lease_id', nullable: true })
  leaseId!: string | null;

  @Column('integer', { name: 'retry_count', default: 0 })
  retryCount!: number;

  @Column('text', { nullable: true })
  text!: string | null;

  @Column('json', { nullable: true })
  json!: unknown;

  @Column('text', { name: 'answered_by', nullable: true })
  answeredBy!: string | null;

  @Column('bigint', { name: 'input_tokens', nullable: true, transformer: bigintAsNumber })
  inputTokens!: number | null;

  @Column('bigint', { name: 'output_tokens', nullable: true, transformer: bigintAsNumber })
  outputTokens!: number | null;

  @Column('text', { name: 'error_code', nullable: true })
  errorCode!: string | null;

  @Column('text', { name: 'error_message', nullable: true })
  errorMessage!: string | null;

  @CreateDateColumn({ type: 'timestamptz', name: 'created_at' })
  createdAt!: Date;

  /** When it was first granted its slots; from then on it does not expire. */
  @Column('timestamptz', { name: 'started_at', nullable: true })
  startedAt!: Date | null;

  @Column('timestamptz', { name: 'finished_at', nullable: true })
  finishedAt!: Date | null;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;
}

import { bigintAsNumber } from '@app/persistence';
import { Column, CreateDateColumn, Entity, PrimaryColumn, Unique } from 'typeorm';

/** What one checkpointed call of a run consumed, stored together with its checkpoint. */
@Entity('meter_lines')
@Unique(['sessionId', 'run', 'step'])
export class MeterLine {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'session_id' })
  sessionId!: string;

  @Column('integer')
  run!: number;

  /** Names the checkpoint within the run, so that a repeated attempt writes it once. */
  @Column('text')
  step!: string;

  @Column('text')
  kind!: 'asr' | 'llm';

  @Column('text')
  provider!: string;

  @Column('text')
  model!: string;

  @Column('double precision', { name: 'audio_seconds', default: 0 })
  audioSeconds!: number;

  @Column('bigint', { name: 'duration_ms', default: 0, transformer: bigintAsNumber })
  durationMs!: number;

  @Column('bigint', { name: 'input_tokens', default: 0, transformer: bigintAsNumber })
  inputTokens!: number;

  @Column('bigint', { name: 'output_tokens', default: 0, transformer: bigintAsNumber })
  outputTokens!: number;

  @Column('integer', { default: 0 })
  calls!: number;

  @Column('boolean', { default: false })
  estimated!: boolean;

  @CreateDateColumn({ type: 'timestamptz', name: 'created_at' })
  createdAt!: Date;
}

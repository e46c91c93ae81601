import { bigintAsNumber } from '@app/persistence';
import { Column, CreateDateColumn, Entity, PrimaryColumn, Unique } from 'typeorm';

/** What one call of a session's run or of a generation consumed, kept so that a killed or failed attempt's amounts are not lost. */
@Entity('meter_lines')
@Unique(['sessionId', 'run', 'step'])
@Unique(['generationId', 'step'])
export class MeterLine {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'session_id', nullable: true })
  sessionId!: string | null;

  @Column('uuid', { name: 'generation_id', nullable: true })
  generationId!: string | null;

  /** Always 1 for a generation. */
  @Column('integer')
  run!: number;

  /** Names the checkpoint within the run, or the grant of a generation, so that a repetition writes it once. */
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

import { bigintAsNumber } from '@app/persistence';
import { Column, CreateDateColumn, Entity, Index, PrimaryColumn, Unique } from 'typeorm';

/** What every kind of usage row holds (design section 10). */
abstract class UsageRow {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'team_id' })
  teamId!: string;

  @Column('text')
  status!: string;

  @Column('integer', { name: 'retry_count', default: 0 })
  retryCount!: number;

  @Column('text', { name: 'asr_provider', nullable: true })
  asrProvider!: string | null;

  @Column('double precision', { name: 'audio_seconds', default: 0 })
  audioSeconds!: number;

  @Column('bigint', { name: 'asr_ms', default: 0, transformer: bigintAsNumber })
  asrMs!: number;

  @Column('text', { name: 'llm_provider', nullable: true })
  llmProvider!: string | null;

  @Column('text', { nullable: true })
  model!: string | null;

  @Column('bigint', { name: 'input_tokens', default: 0, transformer: bigintAsNumber })
  inputTokens!: number;

  @Column('bigint', { name: 'output_tokens', default: 0, transformer: bigintAsNumber })
  outputTokens!: number;

  @Column('integer', { name: 'llm_calls', default: 0 })
  llmCalls!: number;

  /** Whether any amount was estimated because the provider reported none. */
  @Column('boolean', { default: false })
  estimated!: boolean;

  @Column('bigint', { name: 'cost_micros', default: 0, transformer: bigintAsNumber })
  costMicros!: number;

  @CreateDateColumn({ type: 'timestamptz', name: 'created_at' })
  createdAt!: Date;
}

/** The ledger line of one run of a session. */
@Entity('session_usage')
@Unique(['sessionId', 'run'])
@Index(['teamId', 'createdAt', 'id'])
export class SessionUsage extends UsageRow {
  @Column('uuid', { name: 'session_id' })
  sessionId!: string;

  @Column('integer')
  run!: number;
}

/** The ledger line of one generation. */
@Entity('generation_usage')
@Index(['teamId', 'createdAt', 'id'])
export class GenerationUsage extends UsageRow {
  @Column('uuid', { name: 'generation_id', unique: true })
  generationId!: string;
}

/** The ledger line of one call made inside a request: an ask, names, an admin's test. */
@Entity('request_usage')
@Index(['teamId', 'createdAt', 'id'])
export class RequestUsage extends UsageRow {
  @Column('uuid', { name: 'session_id', nullable: true })
  sessionId!: string | null;

  @Column('text')
  purpose!: string;
}

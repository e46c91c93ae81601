import { Column, CreateDateColumn, Entity, PrimaryColumn, UpdateDateColumn } from 'typeorm';

/** A limit that an operator set over what the configuration says. */
@Entity('limit_overrides')
export class LimitOverride {
  @PrimaryColumn('text')
  cap!: string;

  @Column('integer', { name: 'max_slots' })
  maxSlots!: number;

  @UpdateDateColumn({ type: 'timestamptz', name: 'updated_at' })
  updatedAt!: Date;
}

/** Who changed what; rows are only ever added. */
@Entity('audit_log')
export class AuditEntry {
  @PrimaryColumn('uuid')
  id!: string;

  /** Id of the key that did it, or `bootstrap`. */
  @Column('text')
  actor!: string;

  @Column('text')
  action!: string;

  @Column('jsonb')
  facts!: Record<string, string | number | null>;

  @CreateDateColumn({ type: 'timestamptz', name: 'created_at' })
  createdAt!: Date;
}

import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

/** A key of a team. The key itself is shown once and never stored. */
@Entity('api_keys')
export class ApiKey {
  @PrimaryColumn('uuid')
  id!: string;

  @Index()
  @Column('uuid', { name: 'team_id' })
  teamId!: string;

  @Column('text')
  name!: string;

  @Column('text')
  role!: 'member' | 'admin';

  /** First characters of the key: enough to find it, and to tell keys apart in a list. */
  @Column('text', { unique: true })
  prefix!: string;

  @Column('text', { name: 'key_sha256' })
  keySha256!: string;

  @CreateDateColumn({ type: 'timestamptz', name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'revoked_at', nullable: true })
  revokedAt!: Date | null;
}

import { Column, CreateDateColumn, Entity, Index, PrimaryColumn } from 'typeorm';

/** What sessions belong to: one table of players and their story. */
@Entity('campaigns')
@Index(['teamId', 'id'])
export class Campaign {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('uuid', { name: 'team_id' })
  teamId!: string;

  @Column('text')
  name!: string;

  @CreateDateColumn({ type: 'timestamptz', name: 'created_at' })
  createdAt!: Date;
}

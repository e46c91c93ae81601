import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** Team of the bootstrap admin key; the first migration creates it. */
export const DEFAULT_TEAM_ID = '01890000-0000-7000-8000-000000000001';

@Entity('teams')
export class Team {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text', { unique: true })
  name!: string;

  @CreateDateColumn({ type: 'timestamptz', name: 'created_at' })
  createdAt!: Date;
}

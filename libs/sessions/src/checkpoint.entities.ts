import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** One stretch of speech. */
export interface Segment {
  /** Seconds from the start of the recording. */
  readonly start: number;
  readonly end: number;
  readonly speaker: string | null;
  readonly text: string;
}

/** The checkpoint between transcribing and summarising. */
@Entity('transcripts')
export class Transcript {
  @PrimaryColumn('uuid', { name: 'session_id' })
  sessionId!: string;

  @Column('text', { nullable: true })
  language!: string | null;

  @Column('double precision', { name: 'duration_seconds' })
  durationSeconds!: number;

  @Column('jsonb')
  segments!: Segment[];

  /** A run from the start was begun since: this one may be read until there is the next, but is no checkpoint any more. */
  @Column('boolean', { default: false })
  outdated!: boolean;

  @CreateDateColumn({ type: 'timestamptz', name: 'created_at' })
  createdAt!: Date;
}

/** A checkpoint within summarising: the recap of one chunk, or of several chunks' recaps one level up. */
@Entity('recap_parts')
export class RecapPart {
  @PrimaryColumn('uuid', { name: 'session_id' })
  sessionId!: string;

  @PrimaryColumn('integer')
  level!: number;

  @PrimaryColumn('integer')
  part!: number;

  @Column('text')
  text!: string;
}

/** What a session ends in. */
@Entity('recaps')
export class Recap {
  @PrimaryColumn('uuid', { name: 'session_id' })
  sessionId!: string;

  @Column('text')
  text!: string;

  @Column('text')
  model!: string;

  @CreateDateColumn({ type: 'timestamptz', name: 'created_at' })
  createdAt!: Date;
}

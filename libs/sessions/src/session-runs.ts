import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import {
  jobIdOf,
  Reconciler,
  type RunSource,
  SUMMARISE_QUEUE,
  TRANSCRIBE_QUEUE,
  type UnfinishedRun,
} from '@app/jobs';
import { DataSource } from 'typeorm';
import { parsePlace, placeOf } from './session-places';

const NOTHING_BEFORE = '00000000-0000-0000-0000-000000000000';

interface RunRow {
  id: string;
  run: number;
  team_id: string;
  status: 'queued' | 'transcribing' | 'summarising';
  created_at: Date;
}

/** What the reconciler must know of sessions. */
@Injectable()
export class SessionRuns implements RunSource, OnModuleInit {
  readonly name = 'session';
  readonly roles = [TRANSCRIBE_QUEUE, SUMMARISE_QUEUE] as const;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly reconciler: Reconciler,
  ) {}

  onModuleInit(): void {
    this.reconciler.watch(this);
  }

  async listUnfinished(afterRowId: string | undefined, limit: number): Promise<UnfinishedRun[]> {
    const rows = await this.dataSource.query<RunRow[]>(
      `SELECT id, run, team_id, status, created_at FROM sessions
       WHERE finished_at IS NULL AND id > $1 ORDER BY id LIMIT $2`,
      [afterRowId ?? NOTHING_BEFORE, limit],
    );
    return rows.map(({ id, run, team_id, status, created_at }) => ({
      rowId: id,
      run,
      teamId: team_id,
      role: status === 'summarising' ? SUMMARISE_QUEUE : TRANSCRIBE_QUEUE,
      mayHoldSlot: status !== 'queued',
      placeId: placeOf(id, run, status === 'summarising' ? 'llm' : 'asr'),
      enqueuedAtMs: created_at.getTime(),
    }));
  }

  async findUnfinished(runs: ReadonlyArray<{ rowId: string; run: number }>): Promise<ReadonlySet<string>> {
    if (runs.length === 0) return new Set();
    const rows = await this.dataSource.query<Array<{ id: string; run: number }>>(
      'SELECT id, run FROM sessions WHERE finished_at IS NULL AND id = ANY($1)',
      [runs.map(({ rowId }) => rowId)],
    );
    return new Set(rows.map(({ id, run }) => jobIdOf(id, run)));
  }

  runOfPlace(placeId: string): { rowId: string; run: number } | undefined {
    return parsePlace(placeId);
  }
}

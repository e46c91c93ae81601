import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';

/** One row as `GET /api/usage` shows it. */
export interface UsageItem {
  id: string;
  source: 'session' | 'generation' | 'request';
  session_id: string | null;
  run: number | null;
  generation_id: string | null;
  team_id: string;
  created_at: string;
  status: string;
  retry_count: number;
  asr_provider: string | null;
  audio_seconds: number;
  asr_ms: number;
  llm_provider: string | null;
  model: string | null;
  input_tokens: number;
  output_tokens: number;
  llm_calls: number;
  estimated: boolean;
  cost_micros: number;
}

/** Sums over all rows of the question, also those on other pages. */
export interface UsageTotals {
  rows: number;
  audio_seconds: number;
  asr_ms: number;
  input_tokens: number;
  output_tokens: number;
  llm_calls: number;
  cost_micros: number;
}

/** One team's day (UTC) in sums. */
export interface UsageDay extends UsageTotals {
  day: string;
  team_id: string;
}

/** Which rows are asked for; `from` is inclusive, `to` exclusive. */
export interface UsageQuestion {
  readonly teamId?: string;
  readonly from?: Date;
  readonly to?: Date;
  /** Of this session alone: its runs, and what was asked about it. */
  readonly sessionId?: string;
}

const SHARED_COLUMNS = `id, team_id, created_at, status, retry_count, asr_provider, audio_seconds, asr_ms::float8 AS asr_ms,
  llm_provider, model, input_tokens::float8 AS input_tokens, output_tokens::float8 AS output_tokens, llm_calls, estimated,
  cost_micros::float8 AS cost_micros`;

/** Each kind of row with its own references; all of them together are the ledger. */
const LEDGER = `
  SELECT 'session' AS source, session_id, run, NULL::uuid AS generation_id, ${SHARED_COLUMNS} FROM session_usage
  UNION ALL
  SELECT 'generation', NULL, NULL, generation_id, ${SHARED_COLUMNS} FROM generation_usage
  UNION ALL
  SELECT 'request', session_id, NULL, NULL, ${SHARED_COLUMNS} FROM request_usage`;

const CONDITION = `($1::uuid IS NULL OR team_id = $1) AND ($2::timestamptz IS NULL OR created_at >= $2)
  AND ($3::timestamptz IS NULL OR created_at < $3) AND ($4::uuid IS NULL OR session_id = $4)`;

const SUMS = `count(*)::int AS rows, coalesce(sum(audio_seconds), 0)::float8 AS audio_seconds,
  coalesce(sum(asr_ms), 0)::float8 AS asr_ms, coalesce(sum(input_tokens), 0)::float8 AS input_tokens,
  coalesce(sum(output_tokens), 0)::float8 AS output_tokens, coalesce(sum(llm_calls), 0)::int AS llm_calls,
  coalesce(sum(cost_micros), 0)::float8 AS cost_micros`;

/** Reads the ledger that billing reads. */
@Injectable()
export class UsageLedger {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Newest first; one row more than `limit` says that there are more. */
  async rows(question: UsageQuestion, limit: number, beforeId?: string): Promise<UsageItem[]> {
    return this.dataSource.query<UsageItem[]>(
      `SELECT * FROM (${LEDGER}) AS ledger WHERE ${CONDITION} AND ($5::uuid IS NULL OR id < $5) ORDER BY id DESC LIMIT $6`,
      [...parameters(question), beforeId ?? null, limit + 1],
    );
  }

  async totals(question: UsageQuestion): Promise<UsageTotals> {
    const [totals] = await this.dataSource.query<[UsageTotals]>(
      `SELECT ${SUMS} FROM (${LEDGER}) AS ledger WHERE ${CONDITION}`,
      parameters(question),
    );
    return totals;
  }

  /** A row per day (UTC) and team, newest day first. */
  async days(question: UsageQuestion): Promise<UsageDay[]> {
    return this.dataSource.query<UsageDay[]>(
      `SELECT to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, team_id, ${SUMS}
       FROM (${LEDGER}) AS ledger WHERE ${CONDITION} GROUP BY day, team_id ORDER BY day DESC, team_id`,
      parameters(question),
    );
  }
}

function parameters({ teamId, from, to, sessionId }: UsageQuestion): unknown[] {
  return [teamId ?? null, from ?? null, to ?? null, sessionId ?? null];
}

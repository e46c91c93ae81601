import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Generations, their ledger lines, and meter lines that may belong to either kind of work. */
export class Generations1764633600000 implements MigrationInterface {
  name = 'Generations1764633600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE generations (
        id uuid PRIMARY KEY,
        team_id uuid NOT NULL REFERENCES teams(id) ON DELETE CASCADE,
        workflow_id text,
        status text NOT NULL,
        prompt text NOT NULL,
        system text,
        model text,
        max_output_tokens integer,
        json_schema json,
        preview boolean NOT NULL DEFAULT false,
        ticket bigint,
        lease_id text,
        retry_count integer NOT NULL DEFAULT 0,
        text text,
        json json,
        answered_by text,
        input_tokens bigint,
        output_tokens bigint,
        error_code text,
        error_message text,
        created_at timestamptz NOT NULL DEFAULT now(),
        started_at timestamptz,
        finished_at timestamptz,
        expires_at timestamptz NOT NULL
      );
      CREATE INDEX generations_team_id ON generations (team_id, id);
      -- Lists by status, and the count that bounds a team's pending ones.
      CREATE INDEX generations_status ON generations (team_id, status, id);
      CREATE INDEX generations_workflow_id ON generations (team_id, workflow_id, id) WHERE workflow_id IS NOT NULL;
      CREATE INDEX generations_pending ON generations (id) WHERE status = 'pending';
      -- What the expiry looks at once a second: only what may still expire is in it.
      CREATE INDEX generations_unstarted ON generations (expires_at) WHERE status = 'pending' AND started_at IS NULL;

      CREATE TABLE generation_usage (
        id uuid PRIMARY KEY,
        generation_id uuid NOT NULL UNIQUE,
        team_id uuid NOT NULL REFERENCES teams(id) ON DELETE CASCADE,
        status text NOT NULL,
        retry_count integer NOT NULL DEFAULT 0,
        asr_provider text,
        audio_seconds double precision NOT NULL DEFAULT 0,
        asr_ms bigint NOT NULL DEFAULT 0,
        llm_provider text,
        model text,
        input_tokens bigint NOT NULL DEFAULT 0,
        output_tokens bigint NOT NULL DEFAULT 0,
        llm_calls integer NOT NULL DEFAULT 0,
        estimated boolean NOT NULL DEFAULT false,
        cost_micros bigint NOT NULL DEFAULT 0,
        created_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE INDEX generation_usage_team_id ON generation_usage (team_id, created_at, id);

      ALTER TABLE meter_lines
        ALTER COLUMN session_id DROP NOT NULL,
        ADD COLUMN generation_id uuid,
        ADD CONSTRAINT meter_lines_one_source CHECK (num_nonnulls(session_id, generation_id) = 1),
        ADD CONSTRAINT meter_lines_generation_step UNIQUE (generation_id, step);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DELETE FROM meter_lines WHERE generation_id IS NOT NULL;
      ALTER TABLE meter_lines DROP COLUMN generation_id, ALTER COLUMN session_id SET NOT NULL;
      DROP TABLE generation_usage, generations;
    `);
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Teams, keys, campaigns, sessions with their checkpoints, usage, overrides and the audit log. */
export class Core1764547200000 implements MigrationInterface {
  name = 'Core1764547200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE teams (
        id uuid PRIMARY KEY,
        name text NOT NULL UNIQUE,
        created_at timestamptz NOT NULL DEFAULT now()
      );
      -- The team of the bootstrap admin key; its id is known to the code (DEFAULT_TEAM_ID).
      INSERT INTO teams (id, name) VALUES ('01890000-0000-7000-8000-000000000001', 'default');

      CREATE TABLE api_keys (
        id uuid PRIMARY KEY,
        team_id uuid NOT NULL REFERENCES teams(id) ON DELETE CASCADE,
        name text NOT NULL,
        role text NOT NULL,
        prefix text NOT NULL UNIQUE,
        key_sha256 text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        revoked_at timestamptz
      );
      CREATE INDEX api_keys_team_id ON api_keys (team_id);

      CREATE TABLE campaigns (
        id uuid PRIMARY KEY,
        team_id uuid NOT NULL REFERENCES teams(id) ON DELETE CASCADE,
        name text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      );
      CREATE INDEX campaigns_team_id ON campaigns (team_id, id);

      CREATE TABLE sessions (
        id uuid PRIMARY KEY,
        team_id uuid NOT NULL REFERENCES teams(id) ON DELETE CASCADE,
        campaign_id uuid NOT NULL REFERENCES campaigns(id),
        title text,
        language text,
        status text NOT NULL,
        phase text,
        run integer NOT NULL DEFAULT 1,
        ticket bigint,
        retry_count integer NOT NULL DEFAULT 0,
        recording_key text NOT NULL,
        audio_bytes bigint NOT NULL,
        audio_duration_seconds double precision,
        audio_content_type text NOT NULL,
        error_code text,
        error_message text,
        version integer NOT NULL DEFAULT 1,
        created_at timestamptz NOT NULL DEFAULT now(),
        started_at timestamptz,
        finished_at timestamptz
      );
      CREATE INDEX sessions_team_id ON sessions (team_id, id);
      CREATE INDEX sessions_campaign_id ON sessions (campaign_id, id);
      CREATE INDEX sessions_unfinished ON sessions (id) WHERE finished_at IS NULL;

      CREATE TABLE transcripts (
        session_id uuid PRIMARY KEY REFERENCES sessions(id) ON DELETE CASCADE,
        language text,
        duration_seconds double precision NOT NULL,
        segments jsonb NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      );

      CREATE TABLE recap_parts (
        session_id uuid NOT NULL REFERENCES sessions(id) ON DELETE CASCADE,
        level integer NOT NULL,
        part integer NOT NULL,
        text text NOT NULL,
        PRIMARY KEY (session_id, level, part)
      );

      CREATE TABLE recaps (
        session_id uuid PRIMARY KEY REFERENCES sessions(id) ON DELETE CASCADE,
        text text NOT NULL,
        model text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      );

      CREATE TABLE meter_lines (
        id uuid PRIMARY KEY,
        session_id uuid NOT NULL,
        run integer NOT NULL,
        step text NOT NULL,
        kind text NOT NULL,
        provider text NOT NULL,
        model text NOT NULL,
        audio_seconds double precision NOT NULL DEFAULT 0,
        duration_ms bigint NOT NULL DEFAULT 0,
        input_tokens bigint NOT NULL DEFAULT 0,
        output_tokens bigint NOT NULL DEFAULT 0,
        calls integer NOT NULL DEFAULT 0,
        estimated boolean NOT NULL DEFAULT false,
        created_at timestamptz NOT NULL DEFAULT now(),
        UNIQUE (session_id, run, step)
      );

      CREATE TABLE session_usage (
        id uuid PRIMARY KEY,
        session_id uuid NOT NULL,
        run integer NOT NULL,
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
        created_at timestamptz NOT NULL DEFAULT now(),
        UNIQUE (session_id, run)
      );
      CREATE INDEX session_usage_team_id ON session_usage (team_id, created_at, id);

      CREATE TABLE request_usage (
        id uuid PRIMARY KEY,
        team_id uuid NOT NULL REFERENCES teams(id) ON DELETE CASCADE,
        session_id uuid,
        purpose text NOT NULL,
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
      CREATE INDEX request_usage_team_id ON request_usage (team_id, created_at, id);

      CREATE TABLE limit_overrides (
        cap text PRIMARY KEY,
        max_slots integer NOT NULL CHECK (max_slots >= 1),
        updated_at timestamptz NOT NULL DEFAULT now()
      );

      CREATE TABLE audit_log (
        id uuid PRIMARY KEY,
        actor text NOT NULL,
        action text NOT NULL,
        facts jsonb NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now()
      );

      CREATE TABLE idempotency_keys (
        team_id uuid NOT NULL REFERENCES teams(id) ON DELETE CASCADE,
        scope text NOT NULL,
        key text NOT NULL,
        fingerprint text NOT NULL,
        resource_id uuid,
        created_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (team_id, scope, key)
      );
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DROP TABLE idempotency_keys, audit_log, limit_overrides, request_usage, session_usage, meter_lines,
        recaps, recap_parts, transcripts, sessions, campaigns, api_keys, teams;
    `);
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A run from the start keeps the transcript of the run before until it has its own, but never goes on from it. */
export class OutdatedTranscripts1764892800000 implements MigrationInterface {
  name = 'OutdatedTranscripts1764892800000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE transcripts ADD COLUMN outdated boolean NOT NULL DEFAULT false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE transcripts DROP COLUMN outdated');
  }
}

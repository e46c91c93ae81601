import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The queue a generation was posted to, which a setting may change while it waits. */
export class GenerationQueue1764720000000 implements MigrationInterface {
  name = 'GenerationQueue1764720000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE generations ADD COLUMN queue text NOT NULL DEFAULT 'generations'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE generations DROP COLUMN queue');
  }
}

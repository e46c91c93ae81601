import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What one session consumed is read by its id. */
export class RequestUsageSession1764979200000 implements MigrationInterface {
  name = 'RequestUsageSession1764979200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX request_usage_session_id ON request_usage (session_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX request_usage_session_id');
  }
}

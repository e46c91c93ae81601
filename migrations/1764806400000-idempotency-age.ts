import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Keys are forgotten by their age. */
export class IdempotencyAge1764806400000 implements MigrationInterface {
  name = 'IdempotencyAge1764806400000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX idempotency_keys_by_age');
  }
}

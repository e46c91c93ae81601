import * as fc from 'fast-check';
import { randomBytes } from 'node:crypto';
import { connectRedis } from '@app/redis';
import { SlotsRun } from './slots-run';
import { actions, universes } from './universe';

/** `npm run test:properties` sets it, and then each run has a seed of its own. */
const LONG_RUNS = process.env['QB_PROPERTY_RUNS'];
const RUNS = Number(LONG_RUNS ?? 60);
/** A seed that failed (the test's name tells it) is repeated with QB_PROPERTY_SEED. */
const SEED = Number(process.env['QB_PROPERTY_SEED'] ?? (LONG_RUNS ? Date.now() % 1e9 : 20_261_201));

describe('P1-P8, P10, P12-P14: whatever the interleaving', () => {
  it(
    `holds every promise after each command of ${RUNS} random sequences (seed ${SEED})`,
    async () => {
      const url = process.env['QB_TEST_REDIS_URL'] ?? '';
      const redis = connectRedis(url, 'blocking', 'properties');
      const listener = connectRedis(url, 'blocking', 'properties-listener');
      const channel = `properties:${randomBytes(4).toString('hex')}`;
      await listener.subscribe(channel);
      try {
        const property = fc.asyncProperty(universes, actions, async (universe, commands) => {
          const prefix = `prop-${randomBytes(6).toString('hex')}`;
          await new SlotsRun(redis, universe, prefix, channel).play(commands);
        });
        await fc.assert(property, {
          numRuns: RUNS,
          seed: SEED,
          endOnFailure: process.env['QB_PROPERTY_SHRINK'] === '0',
        });
      } finally {
        redis.disconnect();
        listener.disconnect();
      }
    },
    10_000 + RUNS * 1_000,
  );
});

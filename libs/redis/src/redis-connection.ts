import Redis, { type RedisOptions } from 'ioredis';

/** What a connection is for decides how it behaves while Redis is away. */
export type ConnectionRole =
  /** Short commands that must answer or fail within seconds. */
  | 'commands'
  /** Subscribes or blocks; waits for Redis to come back for as long as it takes. */
  | 'blocking';

/** A command on a `commands` connection that got no answer by then counts as "Redis is away". */
export const COMMAND_TIMEOUT_MS = 1_500;

const RECONNECT_MAX_MS = 500;

const OPTIONS_BY_ROLE: Readonly<Record<ConnectionRole, RedisOptions>> = {
  // Without the queue a command fails at once while disconnected, so that callers can go on without Redis.
  commands: { enableOfflineQueue: false, maxRetriesPerRequest: 0, commandTimeout: COMMAND_TIMEOUT_MS },
  blocking: { enableOfflineQueue: true, maxRetriesPerRequest: null },
};

/**
 * Opens a connection that reconnects for ever, at least twice a second, so that an outage ends soon after
 * Redis is back. The caller closes it with `disconnect()`.
 */
export function connectRedis(url: string, role: ConnectionRole, name: string): Redis {
  const redis = new Redis(url, {
    ...OPTIONS_BY_ROLE[role],
    connectionName: name,
    connectTimeout: 2_000,
    enableReadyCheck: false,
    retryStrategy: (attempt) => Math.min(50 * attempt, RECONNECT_MAX_MS),
  });
  // ioredis emits `error` at each failed reconnect; unheard it would end the process. Who needs the state
  // reads it off the failing commands.
  redis.on('error', () => undefined);
  return redis;
}

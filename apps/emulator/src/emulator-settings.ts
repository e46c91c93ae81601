export type CallKind = 'asr' | 'llm';

/** One value for each kind of call; a missing one means that nothing was configured for that kind. */
export interface PerKind<T> {
  readonly asr?: T;
  readonly llm?: T;
}

export interface EmulatorSettings {
  /** Milliseconds a call takes. Unset: ASR follows the audio's length, an LLM call takes 200 ms. */
  readonly holdMs: PerKind<number>;
  /** Calls that are worked on at once; the others wait inside. Unset: all of them. */
  readonly concurrency: PerKind<number>;
  /** What the server says of its own concurrency; unset: nothing. It need not be true. */
  readonly advertised: PerKind<number>;
  /** What happens to a call above `concurrency`: it waits inside, or gets a 429. */
  readonly whenFull: 'queue' | 'refuse';
  /** Requests kept in the log; older ones are dropped. */
  readonly logSize: number;
}

export const DEFAULT_SETTINGS: EmulatorSettings = {
  holdMs: {},
  concurrency: {},
  advertised: {},
  whenFull: 'queue',
  logSize: 20_000,
};

/** Where the process listens. */
export interface ListenAddress {
  readonly port: number;
  readonly host: string;
}

/**
 * The emulator's environment: PORT, HOST and the EMULATOR_ variables. A variable per kind is either one
 * number for both (`500`) or a number each (`asr=500,llm=20`); empty counts as unset.
 *
 * @throws Error naming every bad variable at once.
 */
export function readEmulatorSettings(
  env: Readonly<Record<string, string | undefined>>,
): EmulatorSettings & ListenAddress {
  const problems: string[] = [];
  const perKind = (name: string, min: number): PerKind<number> => {
    const value = env[name]?.trim();
    if (!value) return {};
    const found: { asr?: number; llm?: number } = {};
    for (const part of value.split(',')) {
      const [, kind, digits] = /^\s*(?:(asr|llm)=)?(\d{1,9})\s*$/.exec(part) ?? [];
      const number = Number(digits);
      if (digits === undefined || number < min || number > 86_400_000) {
        problems.push(`${name} must be a whole number from ${min} to 86400000, or asr=<n>,llm=<n>`);
        return {};
      }
      if (kind !== 'llm') found.asr = number;
      if (kind !== 'asr') found.llm = number;
    }
    return found;
  };

  const port = Number(env['PORT']?.trim() || 9000);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    problems.push('PORT must be a whole number from 0 to 65535');
  }
  const whenFull = env['EMULATOR_WHEN_FULL']?.trim() || DEFAULT_SETTINGS.whenFull;
  if (whenFull !== 'queue' && whenFull !== 'refuse') {
    problems.push('EMULATOR_WHEN_FULL must be queue or refuse');
  }

  const settings: EmulatorSettings & ListenAddress = {
    ...DEFAULT_SETTINGS,
    port,
    host: env['HOST']?.trim() || '127.0.0.1',
    holdMs: perKind('EMULATOR_HOLD_MS', 0),
    concurrency: perKind('EMULATOR_CONCURRENCY', 1),
    advertised: perKind('EMULATOR_ADVERTISED_CONCURRENCY', 1),
    whenFull: whenFull === 'refuse' ? 'refuse' : 'queue',
  };
  if (problems.length > 0) throw new Error(`Bad environment:\n  - ${problems.join('\n  - ')}`);
  return settings;
}

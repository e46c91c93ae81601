import { isRecord } from './dialects/request-fields';
import type { EmulatorSettings, PerKind } from './emulator-settings';
import * as check from './script/field-check';
import { BadScriptError } from './script/script';

function perKind(min: number): check.FieldCheck {
  const number = check.whole(min, 86_400_000);
  return check.either(
    `must be a whole number from ${min}, null, or {"asr", "llm"} of these`,
    number,
    (value) => (value === null ? [] : [{ at: '', problem: 'is not null' }]),
    check.fields({ asr: number, llm: number }),
  );
}

const adjustment = check.fields({
  hold_ms: perKind(0),
  concurrency: perKind(1),
  advertised_concurrency: perKind(1),
  when_full: check.oneOf(['queue', 'refuse']),
});

/**
 * Reads `PUT /emulator/settings`: what is not named stays as it is, null means unset again.
 *
 * @throws BadScriptError naming every fault
 */
export function readAdjustment(body: unknown): Partial<EmulatorSettings> {
  const problems = adjustment(body).map(({ at, problem }) => ({
    at: at.replace(/^\./, '') || 'body',
    problem,
  }));
  if (problems.length > 0 || !isRecord(body)) throw new BadScriptError(problems);
  return {
    ...('hold_ms' in body && { holdMs: spread(body['hold_ms']) }),
    ...('concurrency' in body && { concurrency: spread(body['concurrency']) }),
    ...('advertised_concurrency' in body && { advertised: spread(body['advertised_concurrency']) }),
    ...('when_full' in body && { whenFull: body['when_full'] as EmulatorSettings['whenFull'] }),
  };
}

/** One number stands for both kinds. */
function spread(value: unknown): PerKind<number> {
  if (typeof value === 'number') return { asr: value, llm: value };
  return isRecord(value) ? value : {};
}

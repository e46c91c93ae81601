import { isRecord } from '../dialects/request-fields';

/** Says what is wrong with a value, each problem with its place below the value (`''` is the value itself). */
export type FieldCheck = (value: unknown) => { at: string; problem: string }[];

const problem = (text: string): { at: string; problem: string }[] => [{ at: '', problem: text }];

export function whole(min: number, max: number): FieldCheck {
  return (value) =>
    Number.isInteger(value) && Number(value) >= min && Number(value) <= max
      ? []
      : problem(`must be a whole number from ${min} to ${max}`);
}

export function number(value: unknown): ReturnType<FieldCheck> {
  return typeof value === 'number' && Number.isFinite(value) ? [] : problem('must be a number');
}

export function boolean(value: unknown): ReturnType<FieldCheck> {
  return typeof value === 'boolean' ? [] : problem('must be true or false');
}

export function text(most: number): FieldCheck {
  return (value) =>
    typeof value === 'string' && value.length <= most
      ? []
      : problem(`must be a text of at most ${most} characters`);
}

export function oneOf(names: readonly string[]): FieldCheck {
  return (value) =>
    typeof value === 'string' && names.includes(value) ? [] : problem(`must be one of ${names.join(', ')}`);
}

export function anything(): ReturnType<FieldCheck> {
  return [];
}

/** The first check that finds nothing wrong decides; else `otherwise` is the problem. */
export function either(otherwise: string, ...checks: readonly FieldCheck[]): FieldCheck {
  return (value) => (checks.some((check) => check(value).length === 0) ? [] : problem(otherwise));
}

export function listOf(check: FieldCheck, most: number): FieldCheck {
  return (value) => {
    if (!Array.isArray(value)) return problem('must be a list');
    if (value.length > most) return problem(`must hold at most ${most}`);
    return value.flatMap((item, index) =>
      check(item).map((found) => ({ at: `[${index}]${found.at}`, problem: found.problem })),
    );
  };
}

/** An object with these fields and no others; those named in `required` must be there. */
export function fields(checks: Readonly<Record<string, FieldCheck>>, required: string[] = []): FieldCheck {
  const known = new Map(Object.entries(checks));
  return (value) => {
    if (!isRecord(value)) return problem('must be an object');
    const missing = required
      .filter((name) => value[name] === undefined)
      .map((name) => ({ at: `.${name}`, problem: 'is required' }));
    const wrong = Object.entries(value).flatMap(([name, field]) => {
      const check = known.get(name);
      if (check === undefined) {
        return [{ at: `.${name}`, problem: `is unknown; known here: ${[...known.keys()].join(', ')}` }];
      }
      return check(field).map((found) => ({ at: `.${name}${found.at}`, problem: found.problem }));
    });
    return [...missing, ...wrong];
  };
}

import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, Matches, Max, MaxLength, Min, ValidateIf } from 'class-validator';

/** What the generated table of environment variables says of one of them. */
export interface EnvVariable {
  readonly name: string;
  readonly form: string;
  readonly meaning: string;
}

const variables: EnvVariable[] = [];

/** Every variable declared by the decorators below, in the order of the class. */
export function envVariables(): readonly EnvVariable[] {
  return variables;
}

function documented(form: string, meaning: string, ...decorators: PropertyDecorator[]): PropertyDecorator {
  return (target, property) => {
    variables.push({ name: String(property), form, meaning });
    applyDecorators(...decorators)(target, property);
  };
}

const toNumber = Transform(({ value }: { value: unknown }) => (value === undefined ? value : Number(value)));

/** A whole number between two bounds. */
export function WholeNumber(min: number, max: number, meaning: string): PropertyDecorator {
  return documented(`${min} to ${max}`, meaning, toNumber, IsInt(), Min(min), Max(max));
}

/** A whole number that may stay unset; `0` counts as unset too. */
export function OptionalWholeNumber(max: number, meaning: string): PropertyDecorator {
  const zeroIsUnset = Transform(({ value }: { value: unknown }) =>
    value === undefined || Number(value) === 0 ? undefined : Number(value),
  );
  return documented(
    `1 to ${max}; 0 or empty: unset`,
    meaning,
    zeroIsUnset,
    IsOptional(),
    IsInt(),
    Min(1),
    Max(max),
  );
}

/** One of a closed list of words. */
export function OneOf(words: readonly string[], meaning: string): PropertyDecorator {
  return documented(words.join(', '), meaning, IsIn([...words]));
}

/** One of a closed list of words; may stay unset. */
export function OptionalOneOf(words: readonly string[], meaning: string): PropertyDecorator {
  return documented(words.join(', '), meaning, IsOptional(), IsIn([...words]));
}

/** Free text that may stay unset. */
export function OptionalText(meaning: string): PropertyDecorator {
  return documented('text', meaning, IsOptional(), IsString(), MaxLength(2_000));
}

/** Text of a given form. */
export function Text(pattern: RegExp, form: string, meaning: string): PropertyDecorator {
  return documented(form, meaning, Matches(pattern, { message: `$property must be ${form}` }));
}

/** An address with one of the given schemes; may stay unset. The address itself is never repeated in a message: it may hold a password. */
export function OptionalAddress(schemes: readonly string[], meaning: string): PropertyDecorator {
  const isAddress = (value: unknown): boolean =>
    typeof value === 'string' &&
    URL.canParse(value) &&
    schemes.includes(new URL(value).protocol.replace(/:$/, ''));
  return documented(
    `${schemes.join(' or ')} URL`,
    meaning,
    ValidateIf((_, value) => value !== undefined && !isAddress(value)),
    IsIn([], {
      message: `$property must be a URL that starts with ${schemes.map((s) => `${s}://`).join(' or ')}`,
    }),
  );
}

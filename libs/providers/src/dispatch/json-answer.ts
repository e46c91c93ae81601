import Ajv, { type ValidateFunction } from 'ajv';
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { AppError } from '@app/kernel';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** The schema that a caller gave cannot be used. */
export class BadJsonSchemaError extends AppError {
  readonly code = 'validation_failed';
  readonly retryable = false;

  constructor(readonly problem: string) {
    super(`The JSON schema cannot be used: ${problem}`);
  }

  override facts(): Readonly<Record<string, unknown>> {
    return { field: 'json_schema' };
  }
}

export type JsonVerdict =
  { readonly fits: true; readonly json: unknown } | { readonly fits: false; readonly problems: string };

const MOST_PROBLEMS = 10;

/** Judges a model's text against a schema. */
export class JsonAnswer {
  private readonly validate: ValidateFunction;

  /** @throws BadJsonSchemaError */
  constructor(schema: JsonSchema) {
    this.validate = compile(schema);
  }

  judge(text: string): JsonVerdict {
    const json = parse(text);
    if (json === undefined) return { fits: false, problems: 'the answer is no JSON' };
    if (this.validate(json)) return { fits: true, json };
    const problems = (this.validate.errors ?? [])
      .slice(0, MOST_PROBLEMS)
      .map((problem) => `${problem.instancePath || 'the answer'} ${problem.message ?? 'is wrong'}`);
    return { fits: false, problems: problems.join('; ') };
  }
}

/** A fresh Ajv for each schema: one that is shared keeps every schema it ever saw. */
function compile(schema: JsonSchema): ValidateFunction {
  const { $schema: dialect, ...rest } = schema;
  const AjvOfDialect = typeof dialect === 'string' && /20(19|20)-/.test(dialect) ? Ajv2020 : Ajv;
  const ajv = new AjvOfDialect({ strict: false, allErrors: false, logger: false });
  addFormats(ajv);
  try {
    return ajv.compile(rest);
  } catch (error) {
    throw new BadJsonSchemaError(error instanceof Error ? error.message : 'unknown problem');
  }
}

/** Some models put a fence around what they were asked for, whatever they are told. */
function parse(text: string): unknown {
  const fenced = /^\s*```(?:json)?\s*\n([\s\S]*?)\n?\s*```\s*$/i.exec(text);
  try {
    return JSON.parse(fenced?.[1] ?? text) as unknown;
  } catch {
    return undefined;
  }
}

import { BadCallError } from '../dialects/provider-error';
import { isRecord, type JsonRecord } from '../dialects/request-fields';

const MOST_VALUES = 10_000;
const MOST_LEVELS = 24;
const BY_FORMAT: Readonly<Record<string, string>> = {
  'date-time': '2026-12-01T20:00:00Z',
  date: '2026-12-01',
  time: '20:00:00Z',
  duration: 'PT1H',
  email: 'emulated@example.com',
  hostname: 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/emulated',
  uuid: '00000000-0000-4000-8000-000000000000',
};
/** Tried in turn where a schema gives a pattern: a pattern none of them fits is not satisfied. */
const FOR_PATTERNS = [
  'emulated',
  'Emulated',
  'EMULATED',
  'emulated text',
  'a',
  'A',
  '1',
  '12',
  '1234',
  '#a1b2c3',
];

/**
 * Makes one value that satisfies a JSON schema, always the same one: what a model with grammar-bound output
 * would do, without the sense. Local references, const, enum, combinations, bounds and formats are obeyed;
 * of alternatives the first is taken.
 */
export class SchemaValue {
  private values = 0;

  private constructor(private readonly root: unknown) {}

  /** @throws BadCallError when the schema cannot be followed: endless, too large, or a reference to nowhere */
  static of(schema: unknown): unknown {
    return new SchemaValue(schema).make(schema, 'text', 0);
  }

  private make(raw: unknown, hint: string, level: number): unknown {
    this.values += 1;
    if (level > MOST_LEVELS || this.values > MOST_VALUES) {
      throw new BadCallError('The schema is too deep or too large to be satisfied');
    }
    const schema = this.resolve(raw, 0);
    if ('const' in schema) return schema['const'];
    if (Array.isArray(schema['enum'])) return schema['enum'][0];
    switch (typeOf(schema)) {
      case 'object':
        return this.object(schema, level);
      case 'array':
        return this.array(schema, hint, level);
      case 'integer':
        return numberIn(schema, 1);
      case 'number':
        return numberIn(schema, 0);
      case 'boolean':
        return true;
      case 'null':
        return null;
      default:
        return stringIn(schema, hint);
    }
  }

  private object(schema: JsonRecord, level: number): JsonRecord {
    const properties = isRecord(schema['properties']) ? schema['properties'] : {};
    const required = Array.isArray(schema['required']) ? schema['required'].map(String) : [];
    // Optional properties are given too, but not for ever: a schema may contain itself.
    const optional = level < 4 ? Object.keys(properties) : [];
    const names = [...new Set([...required, ...optional])];
    return Object.fromEntries(
      names.map((name) => [name, this.make(properties[name] ?? true, name, level + 1)]),
    );
  }

  private array(schema: JsonRecord, hint: string, level: number): unknown[] {
    const most = numberOr(schema['maxItems'], Infinity);
    const count = Math.min(most, Math.max(numberOr(schema['minItems'], 0), level < 4 ? 1 : 0));
    const leading = Array.isArray(schema['prefixItems']) ? schema['prefixItems'] : [];
    const items: unknown[] = [];
    for (let index = 0; index < Math.min(most, Math.max(count, leading.length)); index += 1) {
      const item = this.make(leading[index] ?? schema['items'] ?? true, `${hint} ${index + 1}`, level + 1);
      items.push(schema['uniqueItems'] === true ? distinct(item, items, index) : item);
    }
    return items;
  }

  /** Follows local references and folds combinations into one schema. */
  private resolve(raw: unknown, hops: number): JsonRecord {
    if (hops > MOST_LEVELS) throw new BadCallError('The schema refers to itself without end');
    if (!isRecord(raw)) return {};
    const { $ref, allOf, anyOf, oneOf, ...own } = raw;
    const parts: unknown[] = [];
    if (typeof $ref === 'string') parts.push(this.referred($ref));
    if (Array.isArray(allOf)) parts.push(...(allOf as unknown[]));
    const choices = Array.isArray(anyOf) ? anyOf : oneOf;
    if (Array.isArray(choices)) parts.push((choices as unknown[])[0]);
    return parts.map((part) => this.resolve(part, hops + 1)).reduce<JsonRecord>(merged, own);
  }

  private referred(reference: string): unknown {
    if (!reference.startsWith('#'))
      throw new BadCallError(`Only local references are followed: ${reference}`);
    const steps = reference.slice(1).split('/').filter(Boolean);
    return steps.reduce<unknown>((at, step) => {
      const name = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
      if (!isRecord(at) || !(name in at)) throw new BadCallError(`The reference leads nowhere: ${reference}`);
      return at[name];
    }, this.root);
  }
}

function merged(one: JsonRecord, two: JsonRecord): JsonRecord {
  const properties = { ...asRecord(one['properties']), ...asRecord(two['properties']) };
  const required = [...asList(one['required']), ...asList(two['required'])];
  return { ...one, ...two, ...(Object.keys(properties).length > 0 && { properties }), required };
}

function typeOf(schema: JsonRecord): unknown {
  const { type } = schema;
  if (Array.isArray(type)) return (type as unknown[]).find((name) => name !== 'null') ?? 'null';
  if (type !== undefined) return type;
  if ('properties' in schema) return 'object';
  return 'items' in schema || 'prefixItems' in schema ? 'array' : 'string';
}

function numberIn(schema: JsonRecord, grain: number): number {
  const step = numberOr(schema['multipleOf'], grain === 1 ? 1 : 0);
  const exclusiveMin = numberOr(schema['exclusiveMinimum'], -Infinity);
  const exclusiveMax = numberOr(schema['exclusiveMaximum'], Infinity);
  const gap = step || 0.5;
  const least = Math.max(numberOr(schema['minimum'], -Infinity), exclusiveMin + (step ? Number.EPSILON : 0));
  const most = Math.min(numberOr(schema['maximum'], Infinity), exclusiveMax);
  let value = Math.min(Math.max(1, least), most);
  if (step) value = Math.ceil(value / step) * step;
  if (value <= exclusiveMin) value = step ? value + gap : midway(exclusiveMin, most);
  if (value >= exclusiveMax || value > most) value = step ? value - gap : midway(least, exclusiveMax);
  return value;
}

function midway(low: number, high: number): number {
  if (high === Infinity) return low + 1;
  return low === -Infinity ? high - 1 : (low + high) / 2;
}

function stringIn(schema: JsonRecord, hint: string): string {
  const format = typeof schema['format'] === 'string' ? BY_FORMAT[schema['format']] : undefined;
  if (format !== undefined) return format;
  const least = numberOr(schema['minLength'], 0);
  const most = numberOr(schema['maxLength'], 10_000);
  const fit = (text: string): string => text.padEnd(least, '.').slice(0, most);
  const usual = fit(`emulated ${hint}`);
  if (typeof schema['pattern'] !== 'string') return usual;
  try {
    const pattern = new RegExp(schema['pattern'], 'u');
    return [usual, ...FOR_PATTERNS.map(fit)].find((text) => pattern.test(text)) ?? usual;
  } catch {
    throw new BadCallError(`The pattern is no regular expression: ${schema['pattern']}`);
  }
}

function distinct(item: unknown, taken: readonly unknown[], index: number): unknown {
  const known = new Set(taken.map((value) => JSON.stringify(value)));
  if (!known.has(JSON.stringify(item))) return item;
  return typeof item === 'number' ? item + index : item;
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : otherwise;
}

function asRecord(value: unknown): JsonRecord {
  return isRecord(value) ? value : {};
}

function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

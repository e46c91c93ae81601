import Ajv from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { SchemaValue } from './schema-value';

const SCHEMAS: Record<string, object | boolean> = {
  'a list of names': {
    type: 'object',
    properties: {
      names: {
        type: 'array',
        items: { type: 'string', minLength: 1, maxLength: 12 },
        minItems: 5,
        maxItems: 5,
      },
    },
    required: ['names'],
    additionalProperties: false,
  },
  'distinct items': { type: 'array', items: { type: 'string' }, minItems: 4, uniqueItems: true },
  'distinct numbers': {
    type: 'array',
    items: { type: 'integer', minimum: 3 },
    minItems: 3,
    uniqueItems: true,
  },
  'enum, const and null': {
    type: 'object',
    properties: {
      a: { enum: ['x', 'y'] },
      b: { const: 7 },
      c: { type: 'null' },
      d: { type: ['null', 'boolean'] },
    },
    required: ['a', 'b', 'c', 'd'],
  },
  'bounds of numbers': {
    type: 'object',
    properties: {
      a: { type: 'integer', minimum: 10, maximum: 12 },
      b: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
      c: { type: 'integer', multipleOf: 5, minimum: 7 },
      d: { type: 'integer', maximum: -3 },
      e: { type: 'integer', exclusiveMinimum: 1 },
      f: { type: 'number', exclusiveMaximum: -2 },
    },
    required: ['a', 'b', 'c', 'd', 'e', 'f'],
  },
  'formats and lengths': {
    type: 'object',
    properties: {
      when: { type: 'string', format: 'date-time' },
      day: { type: 'string', format: 'date' },
      id: { type: 'string', format: 'uuid' },
      mail: { type: 'string', format: 'email' },
      long: { type: 'string', minLength: 200 },
      short: { type: 'string', maxLength: 3 },
      lower: { type: 'string', pattern: '^[a-z]+$' },
    },
    required: ['when', 'day', 'id', 'mail', 'long', 'short', 'lower'],
  },
  'local references': {
    $defs: { hero: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } },
    type: 'object',
    properties: { party: { type: 'array', items: { $ref: '#/$defs/hero' }, minItems: 2 } },
    required: ['party'],
  },
  'a tree of itself': {
    $defs: {
      node: {
        type: 'object',
        properties: { left: { $ref: '#/$defs/node' }, value: { type: 'integer' } },
        required: ['value'],
      },
    },
    $ref: '#/$defs/node',
  },
  combinations: {
    allOf: [
      { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
      {
        type: 'object',
        properties: { b: { anyOf: [{ type: 'integer' }, { type: 'string' }] } },
        required: ['b'],
      },
    ],
  },
  'a tuple': {
    type: 'array',
    prefixItems: [{ type: 'string' }, { type: 'integer' }],
    minItems: 2,
    items: { type: 'boolean' },
  },
  'an optional object': { anyOf: [{ type: 'null' }, { type: 'object' }] },
  'no schema to speak of': true,
};

describe('SchemaValue', () => {
  const ajv = addFormats(new Ajv({ strict: false }));

  it.each(Object.entries(SCHEMAS))('satisfies %s', (_name, schema) => {
    const value = SchemaValue.of(schema);
    expect([ajv.validate(schema, value), ajv.errorsText(), value]).toEqual([true, 'No errors', value]);
  });

  it('refuses a schema that requires itself without end', () => {
    const schema = { type: 'object', properties: { again: { $ref: '#' } }, required: ['again'] };
    expect(() => SchemaValue.of(schema)).toThrow('too deep');
    expect(() => SchemaValue.of({ $ref: '#' })).toThrow('without end');
    expect(() => SchemaValue.of({ $ref: '#/$defs/none' })).toThrow('nowhere');
    expect(() => SchemaValue.of({ type: 'array', minItems: 1e9, items: {} })).toThrow('too large');
  });
});

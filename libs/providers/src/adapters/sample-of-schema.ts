type Schema = Readonly<Record<string, unknown>>;

const DEEPEST = 12;

/** The plainest value that fits an ordinary JSON schema; for answers that are made up in memory. */
export function sampleOfSchema(schema: unknown, depth = 0): unknown {
  if (typeof schema !== 'object' || schema === null || depth > DEEPEST) return null;
  const fields = schema as Schema;
  if ('const' in fields) return fields['const'];
  if (Array.isArray(fields['enum'])) return fields['enum'][0] as unknown;
  if ('default' in fields) return fields['default'];
  for (const choice of ['anyOf', 'oneOf', 'allOf']) {
    if (Array.isArray(fields[choice])) return sampleOfSchema((fields[choice] as unknown[])[0], depth + 1);
  }
  const type: unknown = Array.isArray(fields['type']) ? (fields['type'][0] as unknown) : fields['type'];
  switch (type ?? (fields['properties'] ? 'object' : undefined)) {
    case 'object':
      return sampleObject(fields, depth);
    case 'array': {
      const length = Math.max(Number(fields['minItems'] ?? 0), 1);
      return Array.from({ length: Math.min(length, 100) }, () => sampleOfSchema(fields['items'], depth + 1));
    }
    case 'string':
      return 'stub'
        .padEnd(Number(fields['minLength'] ?? 0), '.')
        .slice(0, Number(fields['maxLength'] ?? 10_000));
    case 'integer':
    case 'number':
      return Number(fields['minimum'] ?? fields['maximum'] ?? 1);
    case 'boolean':
      return true;
    default:
      return null;
  }
}

function sampleObject(fields: Schema, depth: number): Record<string, unknown> {
  const properties = (fields['properties'] ?? {}) as Schema;
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, sampleOfSchema(property, depth + 1)]),
  );
}

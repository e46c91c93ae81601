import type { ValueTransformer } from 'typeorm';

/** Reads a bigint column as a number: for counts and micro-units, which stay far below 2^53. */
export const bigintAsNumber: ValueTransformer = {
  to: (value: number | null | undefined) => value,
  from: (value: string | null) => (value === null ? null : Number(value)),
};

const PREFIX = 'generation:';

/** The place of one generation in the queue for slots; it lives over every re-queue of its job. */
export function placeOf(generationId: string): string {
  return `${PREFIX}${generationId}`;
}

/** The inverse of `placeOf`; undefined for a place that is no generation's. */
export function generationOfPlace(placeId: string): string | undefined {
  return placeId.startsWith(PREFIX) ? placeId.slice(PREFIX.length) : undefined;
}

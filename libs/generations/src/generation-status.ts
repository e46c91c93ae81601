/** `pending` for as long as it waits or runs: saturation is invisible by design. */
export const GENERATION_STATUSES = ['pending', 'completed', 'failed', 'cancelled'] as const;

export type GenerationStatus = (typeof GENERATION_STATUSES)[number];

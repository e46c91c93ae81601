/** Queue of recordings to transcribe. */
export const TRANSCRIBE_QUEUE = 'transcribe';

/** Queue of transcripts to summarise. */
export const SUMMARISE_QUEUE = 'summarise';

/** Injection name of the queue that generations are posted to; its name in Redis is a setting. */
export const GENERATION_QUEUE = 'generations';

/** The queues by the role they play in the code. */
export type QueueRole = typeof TRANSCRIBE_QUEUE | typeof SUMMARISE_QUEUE | typeof GENERATION_QUEUE;

import { Core1764547200000 } from './1764547200000-core';

/** Every migration, oldest first. A new one is added at the end and never changed once it has landed. */
export const MIGRATIONS = [Core1764547200000];

/** Whether the API answers: one fact for the whole page, read by the banner at its top. */
let away = false;
const listeners = new Set<() => void>();

export function isAway(): boolean {
  return away;
}

export function markAway(next: boolean): void {
  if (away === next) return;
  away = next;
  for (const listener of listeners) listener();
}

export function onConnectionChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

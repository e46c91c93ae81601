/** The API key of this tab: kept in session storage, so that it goes with the tab, and never in an address. */
const KEY = 'questline.key';
const listeners = new Set<() => void>();
let farewell: string | undefined;

export function readKey(): string | null {
  return sessionStorage.getItem(KEY);
}

export function signIn(key: string): void {
  farewell = undefined;
  sessionStorage.setItem(KEY, key);
  tell();
}

/** `why` is shown where the next key is asked for; without one it was the user's own wish. */
export function signOut(why?: string): void {
  farewell = why;
  sessionStorage.removeItem(KEY);
  tell();
}

export function readFarewell(): string | undefined {
  return farewell;
}

export function onKeyChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function tell(): void {
  for (const listener of listeners) listener();
}

import { useEffect, useEffectEvent, useState } from 'react';
import { fetchWithKey } from '../api/client';
import { followEvents, type StreamState } from './event-stream';
import type { StreamEvent } from './sse-parser';

/** How often a page asks while it has no stream. */
export const POLL_MS = 5_000;

/** While a stream is live, polling is only the safety net. */
export const POLL_BESIDE_STREAM_MS = 30_000;

/** Follows a stream for as long as the component is shown; `undefined` follows none. */
export function useEventStream(
  path: string | undefined,
  onEvent: (event: StreamEvent) => void,
): { readonly pollMs: number; readonly state: StreamState } {
  const [state, setState] = useState<StreamState>('polling');
  const take = useEffectEvent(onEvent);
  useEffect(() => {
    if (!path) return;
    const stop = followEvents({
      open: (headers, signal) =>
        fetchWithKey(new Request(new URL(path, location.origin), { headers, signal, cache: 'no-store' })),
      onEvent: (event) => take(event),
      onState: setState,
    });
    return () => {
      stop();
      setState('polling');
    };
  }, [path]);
  return { state, pollMs: state === 'live' ? POLL_BESIDE_STREAM_MS : POLL_MS };
}

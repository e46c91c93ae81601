import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useSyncExternalStore } from 'react';
import { isAway, markAway, onConnectionChange } from '../api/connection';
import { say } from './toasts';

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 8_000;

/** Says that the API does not answer, knocks until it does, and then brings the whole page up to date. */
export function AwayBanner(): ReactNode {
  const away = useSyncExternalStore(onConnectionChange, isAway);
  const queries = useQueryClient();
  useEffect(() => {
    if (!away) return;
    let pauseMs = FIRST_PAUSE_MS;
    let timer: ReturnType<typeof setTimeout>;
    const knock = async () => {
      const answers = await fetch('/health/live', { cache: 'no-store' }).then(
        (response) => response.ok,
        () => false,
      );
      if (answers) {
        markAway(false);
        say('Questline is back.');
        return queries.invalidateQueries();
      }
      pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2);
      timer = setTimeout(() => void knock(), pauseMs);
    };
    timer = setTimeout(() => void knock(), pauseMs);
    return () => clearTimeout(timer);
  }, [away, queries]);
  return (
    <div role="status" aria-live="polite">
      {away && (
        <div className="away">
          <p>Questline does not answer. What you see may be old; this page comes back by itself.</p>
        </div>
      )}
    </div>
  );
}

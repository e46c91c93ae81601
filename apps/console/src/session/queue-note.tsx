import { type ReactNode, useEffect, useState } from 'react';
import type { ProcessingWait } from '../api/client';
import { wordQueueNote } from '../words/queue-note';

const LOOK_AGAIN_MS = 5_000;

/**
 * Where a waiting session stands. Shown only while the API reports a wait; the frame that announces it stays, so
 * that those who listen hear the change.
 */
export function ProcessingQueueNote({ wait }: { readonly wait: ProcessingWait | null }): ReactNode {
  const [now, setNow] = useState(() => Date.now());
  const isPaused = Boolean(wait?.paused_until);
  useEffect(() => {
    if (!isPaused) return;
    const timer = setInterval(() => setNow(Date.now()), LOOK_AGAIN_MS);
    return () => clearInterval(timer);
  }, [isPaused]);
  const note = wait && wordQueueNote(wait, Math.max(now, Date.now() - LOOK_AGAIN_MS));
  return (
    <div role="status" aria-live="polite" aria-atomic="true">
      {note && (
        <div className="queue-note" data-testid="queue-note">
          <span className="place">{note.place}</span>
          {note.pause && <span>{note.pause}</span>}
        </div>
      )}
    </div>
  );
}

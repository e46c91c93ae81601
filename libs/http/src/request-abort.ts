import type { Response } from 'express';

/** Aborted when the client goes away before its answer was sent, so that nobody computes for no one. */
export function abortWithClient(response: Response): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableEnded) controller.abort(new Error('The client went away'));
  });
  return controller.signal;
}

import { newId } from '@app/kernel';
import type { IncomingMessage } from 'node:http';

const SAFE_REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** The request's id: the one it has already, else the `X-Request-Id` it came with, else a new one. */
export function requestIdOf(request: IncomingMessage & { id?: unknown }): string {
  if (typeof request.id === 'string') return request.id;
  const presented = request.headers['x-request-id'];
  return typeof presented === 'string' && SAFE_REQUEST_ID.test(presented) ? presented : newId();
}

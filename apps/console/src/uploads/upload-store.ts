import type { SessionSummary } from '../api/client';
import { ApiAway, ApiProblem } from '../api/api-problem';
import { readKey } from '../session-key';
import { titleOfFile } from '../words/amounts';

export interface Upload {
  readonly id: number;
  readonly campaignId: string;
  readonly file: File;
  readonly state: 'waiting' | 'sending' | 'done' | 'failed' | 'cancelled';
  /** 0 to 1: what of the body has left. */
  readonly progress: number;
  readonly sessionId?: string;
  readonly error?: unknown;
}

/** A home line is not faster with more at once, and the second starts while the first is being judged. */
const AT_ONCE = 2;

const requests = new Map<number, XMLHttpRequest>();
const listeners = new Set<() => void>();
let uploads: readonly Upload[] = [];
let lastId = 0;
let whenStored: (upload: Upload) => void = () => undefined;

/** Uploads live beside the pages, so that one may look elsewhere meanwhile. */
export function readUploads(): readonly Upload[] {
  return uploads;
}

export function onUploadsChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function onStored(listener: (upload: Upload) => void): void {
  whenStored = listener;
}

export function addUploads(campaignId: string, files: Iterable<File>): void {
  const added = [...files].map((file): Upload => ({
    id: (lastId += 1),
    campaignId,
    file,
    state: 'waiting',
    progress: 0,
  }));
  change([...uploads, ...added]);
  startNext();
}

export function cancelUpload(id: number): void {
  requests.get(id)?.abort();
  update(id, { state: 'cancelled' });
  startNext();
}

export function retryUpload(id: number): void {
  update(id, { state: 'waiting', progress: 0, error: undefined });
  startNext();
}

export function dismissUpload(id: number): void {
  change(uploads.filter((upload) => upload.id !== id));
}

function startNext(): void {
  const sending = uploads.filter(({ state }) => state === 'sending').length;
  for (const upload of uploads.filter(({ state }) => state === 'waiting').slice(0, AT_ONCE - sending))
    send(upload);
}

/** With XMLHttpRequest, since fetch does not tell how much of a body has left. */
function send({ id, campaignId, file }: Upload): void {
  const request = new XMLHttpRequest();
  requests.set(id, request);
  update(id, { state: 'sending' });
  request.open('POST', `/api/campaigns/${campaignId}/sessions`);
  request.setRequestHeader('Authorization', `Bearer ${readKey() ?? ''}`);
  request.responseType = 'json';
  request.upload.onprogress = ({ loaded, total, lengthComputable }) => {
    if (lengthComputable) update(id, { progress: loaded / total });
  };
  request.onload = () => {
    const body: unknown = request.response;
    if (request.status !== 202) return end(id, { state: 'failed', error: problemOf(request, body) });
    end(id, { state: 'done', progress: 1, sessionId: (body as SessionSummary).id });
    const stored = uploads.find((upload) => upload.id === id);
    if (stored) whenStored(stored);
  };
  request.onerror = () => end(id, { state: 'failed', error: new ApiAway() });
  request.onabort = () => end(id, { state: 'cancelled' });

  const form = new FormData();
  // Text before the file: the server reads the body as it comes.
  form.set('title', titleOfFile(file.name));
  form.set('audio', file, file.name);
  request.send(form);
}

function problemOf(request: XMLHttpRequest, body: unknown): unknown {
  const retryAfter = Number(request.getResponseHeader('retry-after') ?? Number.NaN);
  return new ApiProblem(request.status, body ?? {}, Number.isFinite(retryAfter) ? retryAfter : undefined);
}

function end(id: number, how: Partial<Upload>): void {
  requests.delete(id);
  update(id, how);
  startNext();
}

function update(id: number, how: Partial<Upload>): void {
  change(uploads.map((upload) => (upload.id === id ? { ...upload, ...how } : upload)));
}

function change(next: readonly Upload[]): void {
  uploads = next;
  for (const listener of listeners) listener();
}

/** Leaving the page would cut what is being sent. */
addEventListener('beforeunload', (event) => {
  if (requests.size > 0) event.preventDefault();
});

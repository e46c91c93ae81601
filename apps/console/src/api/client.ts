import createClient from 'openapi-fetch';
import { readKey, signOut } from '../session-key';
import { ApiAway, problemOfAnswer } from './api-problem';
import { markAway } from './connection';
import type { components, paths } from './schema';

export type Schemas = components['schemas'];
export type Session = Schemas['SessionDto'];
export type SessionSummary = Schemas['SessionSummaryDto'];
export type Campaign = Schemas['CampaignDto'];
export type Transcript = Schemas['TranscriptDto'];
export type ProcessingWait = NonNullable<Session['processing_wait']>;
export type QueueState = Schemas['QueueStateDto'];
export type EndpointState = Schemas['EndpointStateDto'];
export type CapState = Schemas['CapStateDto'];
export type UsageItem = Schemas['UsageItemDto'];

/** Typed by the OpenAPI document of our own API: a path or field that it lost does not compile here. */
export const api = createClient<paths>({ baseUrl: location.origin, fetch: fetchWithKey });

/** Sends one request with the key of this tab. @throws ApiAway when nothing answers */
export async function fetchWithKey(input: Request): Promise<Response> {
  const key = readKey();
  if (key) input.headers.set('Authorization', `Bearer ${key}`);
  let response: Response;
  try {
    response = await fetch(input);
  } catch (error) {
    if (input.signal.aborted) throw error;
    markAway(true);
    throw new ApiAway({ cause: error });
  }
  if (response.status === 401 && key && key === readKey()) signOut('This key is no longer accepted.');
  return response;
}

interface Outcome<T> {
  readonly data?: T;
  readonly error?: unknown;
  readonly response: Response;
}

/** The data of an answer. @throws ApiProblem, ApiAway */
export async function dataOf<T>(calling: Promise<Outcome<T>>): Promise<T> {
  const { data, error, response } = await calling;
  if (response.ok) {
    markAway(false);
    return data as T;
  }
  const problem = problemOfAnswer(response, error);
  markAway(problem instanceof ApiAway);
  throw problem;
}

/** An answer that is a file, with the name it shall have on the reader's disk. @throws ApiProblem, ApiAway */
export async function download(path: string, filename: string, accept?: string): Promise<void> {
  const headers = accept ? { Accept: accept } : undefined;
  const response = await fetchWithKey(new Request(new URL(path, location.origin), { headers }));
  if (!response.ok) throw problemOfAnswer(response, await response.json().catch(() => undefined));
  const url = URL.createObjectURL(await response.blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = filename;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

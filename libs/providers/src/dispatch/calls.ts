import type { CapRequest } from '@app/provider-slots';
import type { ProviderEndpoint } from '../endpoint/provider-endpoint';
import type { LlmUse } from '../endpoint/provider-endpoints';
import type { CurableRefusal } from '../refusal/provider-failure';
import type { Meter } from './meter';

/** Whose place in the queue a call takes. */
export interface SlotPlace {
  /** Lives over every re-queue of the job; a request makes a fresh one. */
  readonly placeId: string;
  /** Admission number of an earlier ask. */
  readonly ticket?: string;
  /** The team: slots are shared between groups in turn. */
  readonly group: string;
  /** Opaque text that the wake of a parked place carries. */
  readonly wake?: string;
  /** A place that still waits by then is forgotten. */
  readonly expiresInMs?: number;
  /** Instead of the usual lease, for calls with a hard limit of their own. */
  readonly leaseMs?: number;
  /** Caps to take together with the endpoint's, narrower ones first. */
  readonly extraCaps?: readonly CapRequest[];
}

/** A refusal that was waited out in place, told when the slot is granted again. */
export interface Pause {
  readonly refusal: CurableRefusal;
  readonly forMs: number;
}

interface Call {
  readonly place: SlotPlace;
  /** Ends the call; its connection is closed. */
  readonly signal?: AbortSignal;
  /** One call of this per refusal waited out in place: what `retry_count` counts besides parks. */
  readonly onPause?: (pause: Pause) => void;
  /** Called at each grant, before anything is sent, with the lease that a result must be written under. */
  readonly onGranted?: (grant: { readonly leaseId: string; readonly ticket: string }) => void | Promise<void>;
  /** Called when a send is over, however it ended, as its slot is given back; once per grant. */
  readonly onReleased?: () => void;
}

/** What the one slotted call needs to know, whatever the dialect. */
export interface SlottedCallRequest extends Call {
  readonly endpoint: ProviderEndpoint;
  /** Expected work in the units of the endpoint's estimate: audio seconds for ASR, 1 otherwise. */
  readonly work?: number;
}

export interface AudioFile {
  /** On disk; it is streamed from there. */
  readonly path: string;
  readonly filename: string;
  readonly contentType: string;
  readonly bytes: number;
  readonly durationSeconds: number | null;
}

export interface TranscribeCall extends Call {
  readonly audio: AudioFile;
  readonly language?: string;
}

export interface TranscriptSegment {
  /** Seconds from the start of the recording. */
  readonly start: number;
  readonly end: number;
  readonly speaker: string | null;
  readonly text: string;
}

export interface ProviderTranscript {
  readonly language: string | null;
  readonly durationSeconds: number | null;
  readonly segments: TranscriptSegment[];
}

export interface TranscribeResult {
  readonly transcript: ProviderTranscript;
  readonly meter: Meter;
}

export interface ProseCall extends Call {
  /** Which configured LLM endpoint; a generation may have one of its own. */
  readonly use: LlmUse;
  readonly system?: string;
  readonly prompt: string;
  /** Instead of the endpoint's configured model. */
  readonly model?: string;
  readonly maxOutputTokens?: number;
}

export interface ProseResult {
  readonly text: string;
  readonly model: string;
  readonly meter: Meter;
}

export interface StructuredCall extends ProseCall {
  /** JSON schema (draft 7, or 2020-12 when `$schema` says so). */
  readonly schema: Readonly<Record<string, unknown>>;
}

export interface StructuredResult extends ProseResult {
  readonly json: unknown;
}

import type { AudioFile, ProviderTranscript } from '../dispatch/calls';
import type { ProviderEndpoint } from '../endpoint/provider-endpoint';
import type { Wire } from '../wire/provider-wire';

export interface AsrRequest {
  readonly endpoint: ProviderEndpoint;
  readonly audio: AudioFile;
  readonly language?: string;
}

/**
 * Speaks one dialect: one call is one request on the wire. It knows nothing of slots, gates or retries, and
 * throws whatever its SDK throws; the slotted call makes a typed error of it.
 */
export interface AsrAdapter {
  transcribe(request: AsrRequest, wire: Wire): Promise<ProviderTranscript>;
}

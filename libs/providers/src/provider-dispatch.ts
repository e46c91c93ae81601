import type {
  ProseCall,
  ProseResult,
  StructuredCall,
  StructuredResult,
  TranscribeCall,
  TranscribeResult,
} from './dispatch/calls';
import type { TextDispatch } from './dispatch/text-dispatch';
import type { Transcriber } from './dispatch/transcriber';

/**
 * The three calls of this product to a model, each holding its slots for exactly as long as its request is
 * on the wire. What happens at a full cap or a closed gate follows from where the code runs (park, wait,
 * refuse), never from an argument.
 *
 * Each throws a `ProviderError`, or what the slots throw (`SlotParkedError`, `SlotBusyError`).
 */
export class ProviderDispatch {
  constructor(
    private readonly transcriber: Transcriber,
    private readonly texts: TextDispatch,
  ) {}

  transcribe(call: TranscribeCall): Promise<TranscribeResult> {
    return this.transcriber.transcribe(call);
  }

  dispatchProse(call: ProseCall): Promise<ProseResult> {
    return this.texts.dispatchProse(call);
  }

  generateStructuredText(call: StructuredCall): Promise<StructuredResult> {
    return this.texts.generateStructuredText(call);
  }
}

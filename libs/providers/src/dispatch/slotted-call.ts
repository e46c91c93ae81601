import { AppError, delay } from '@app/kernel';
import type { ProviderSlots } from '@app/provider-slots';
import type { JobScope, RequestScope } from '@app/request-scope';
import type { ProviderEndpoints } from '../endpoint/provider-endpoints';
import type { PausePolicy } from '../refusal/pause-policy';
import { ProviderError, ProviderPauseError } from '../refusal/provider-errors';
import type { Wire } from '../wire/provider-wire';
import type { SlottedCallRequest } from './calls';
import { HeldBack } from './local-gates';
import type { CallHistory, SingleSend } from './single-send';
import { toSlotRequest } from './to-slot-request';

export interface SlottedCallSettings {
  /** Sends of one LLM call at most (`QB_LLM_ATTEMPTS`). */
  readonly llmAttempts: number;
  /** Longest wait in place of a job that has begun, in ms. */
  readonly maxWaitMs: number;
}

export interface SlottedCallParts {
  readonly slots: Pick<ProviderSlots, 'withSlot'>;
  readonly requestScope: RequestScope;
  readonly endpoints: ProviderEndpoints;
  readonly pauses: PausePolicy;
  readonly singleSend: SingleSend;
}

/** What the slots throw when the call itself is over, unlike a park. */
const GAVE_UP = new Set(['provider_busy', 'slot_wait_timeout']);

/**
 * The only way from a call to an adapter: take the slot, send once, give the slot back, whatever happens.
 *
 *     refused, curable    the lease goes back and the endpoint's gate closes in one step, then
 *       request           the refusal is thrown, with the time
 *       job, ASR          the place asks again; the gate is closed, so it parks: a refused send is no paid call
 *       job, LLM          the place waits in place until the gate opens; at most `llmAttempts` sends
 *     broken, LLM in a job  sent again after a back-off without a slot, within the same number of sends
 *     anything else       thrown
 *
 * An LLM error whose sends are used up is no longer retryable, so that its job does not begin anew.
 */
export class SlottedCall {
  constructor(
    private readonly parts: SlottedCallParts,
    private readonly settings: SlottedCallSettings,
  ) {}

  /**
   * @throws ProviderError
   * @throws SlotParkedError when the job must go back to its queue
   * @throws SlotBusyError in a request, when the cap is full or the gate closed: nothing was sent
   */
  async run<T>(
    call: SlottedCallRequest,
    send: (wire: Wire) => Promise<T>,
  ): Promise<{ readonly value: T; readonly durationMs: number }> {
    const carrier = this.carrierOf(call);
    const carried = carrier?.parkedSends ?? 0;
    if (carrier) carrier.parkedSends = 0;
    const history: CallHistory = { sends: carried, refusals: carried, ticket: call.place.ticket };
    for (;;) {
      try {
        return await this.parts.slots.withSlot(
          toSlotRequest(call, this.parts.endpoints.limitOf(call.endpoint), history.ticket),
          (lease) => this.parts.singleSend.run(call, send, lease, history),
          { signal: call.signal, maxWaitMs: this.settings.maxWaitMs },
        );
      } catch (error) {
        if (error instanceof HeldBack) {
          await this.waitForLocalGate(error, call);
          continue;
        }
        if (!(error instanceof ProviderError)) {
          if (carrier) carrier.parkedSends = history.sends;
          throw this.truthful(error, history);
        }
        history.lastError = error;
        await this.prepareNextSend(call, error, history);
      }
    }
  }

  /** What carries an LLM call's sends over a park of its job; other calls have none to carry. */
  private carrierOf({ endpoint }: SlottedCallRequest): JobScope | undefined {
    const scope = this.parts.requestScope.current();
    return scope?.kind === 'job' && endpoint.kind === 'llm' ? scope : undefined;
  }

  /** Returns when the call may ask for its slot again. @throws the error itself when it may not */
  private async prepareNextSend(
    call: SlottedCallRequest,
    error: ProviderError,
    history: CallHistory,
  ): Promise<void> {
    const scope = this.parts.requestScope.current();
    if (scope?.kind === 'http' || !error.retryable) throw error;
    const { kind } = call.endpoint;
    if (error instanceof ProviderPauseError) {
      history.refusals += 1;
      if (kind === 'asr' && scope) return this.unpay();
      if (history.sends >= this.settings.llmAttempts) throw error.markSpent();
      history.waitedOut = { refusal: error.refusal, forMs: error.retryAfterMs };
      return;
    }
    if (kind === 'asr') throw error;
    if (history.sends >= this.settings.llmAttempts) throw error.markSpent();
    await delay(this.parts.pauses.backoff(history.sends - 1), call.signal);
  }

  /** Redis is away, and so is every queue that a job could be put back to: it waits here, without a slot. */
  private async waitForLocalGate(gate: HeldBack, call: SlottedCallRequest): Promise<void> {
    if (this.parts.requestScope.current()?.kind === 'http') throw gate.toBusy();
    this.unpay();
    await delay(gate.forMs, call.signal);
  }

  /** The slot was granted, yet nothing was paid for: while that is so, a job parks instead of waiting. */
  private unpay(): void {
    const scope = this.parts.requestScope.current();
    if (scope?.kind === 'job') scope.providerCalls = Math.max(0, scope.providerCalls - 1);
  }

  /** "Busy" promises that nothing was sent; once something was, the provider's own answer is the truth. */
  private truthful(error: unknown, history: CallHistory): unknown {
    const isBusy = error instanceof AppError && GAVE_UP.has(error.code);
    return isBusy && history.lastError ? history.lastError : error;
  }
}

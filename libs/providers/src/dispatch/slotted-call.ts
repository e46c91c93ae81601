import { AppError, delay } from '@app/kernel';
import type { Lease, ProviderSlots, SlotRequest } from '@app/provider-slots';
import type { RequestScope } from '@app/request-scope';
import { endpointCapName, type ProviderEndpoint } from '../endpoint/provider-endpoint';
import type { ProviderEndpoints } from '../endpoint/provider-endpoints';
import { classifyFailure } from '../refusal/classify-failure';
import type { PausePolicy } from '../refusal/pause-policy';
import {
  ProviderError,
  ProviderPauseError,
  ProviderTimeoutError,
  toProviderError,
} from '../refusal/provider-errors';
import { type CurableRefusal, isCurable } from '../refusal/provider-failure';
import type { RefusalReporter } from '../refusal/refusal-reporter';
import type { ProviderWire, Wire } from '../wire/provider-wire';
import { CallSignal } from './call-signal';
import type { SlottedCallRequest } from './calls';
import { HeldBack, LocalGates } from './local-gates';

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
  readonly wire: ProviderWire;
  readonly pauses: PausePolicy;
  readonly reporter: RefusalReporter;
}

const DEEPEST_CAUSE = 6;
/** What the slots throw when the call itself is over, unlike a park. */
const GAVE_UP = new Set(['provider_busy', 'slot_wait_timeout']);

/** What one call has been through so far. */
interface History {
  sends: number;
  refusals: number;
  ticket?: string;
  /** The refusal that the next grant ends. */
  waitedOut?: { refusal: CurableRefusal; forMs: number };
  lastError?: ProviderError;
}

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
  private readonly gates = new LocalGates();

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
    const history: History = { sends: 0, refusals: 0, ticket: call.place.ticket };
    for (;;) {
      try {
        return await this.parts.slots.withSlot(
          this.slotRequest(call, history.ticket),
          (lease) => this.sendOnce(call, send, lease, history),
          { signal: call.signal, maxWaitMs: this.settings.maxWaitMs },
        );
      } catch (error) {
        if (error instanceof HeldBack) {
          await this.waitForLocalGate(error, call);
          continue;
        }
        if (!(error instanceof ProviderError)) throw this.truthful(error, history);
        history.lastError = error;
        await this.prepareNextSend(call, error, history);
      }
    }
  }

  private async sendOnce<T>(
    call: SlottedCallRequest,
    send: (wire: Wire) => Promise<T>,
    lease: Lease,
    history: History,
  ): Promise<{ value: T; durationMs: number }> {
    const { endpoint } = call;
    history.ticket = lease.ticket;
    if (lease.degraded) this.gates.check(endpointCapName(endpoint));
    if (history.waitedOut) call.onPause?.(history.waitedOut);
    history.waitedOut = undefined;
    await call.onGranted?.({ leaseId: lease.leaseId, ticket: lease.ticket });
    history.sends += 1;
    const end = new CallSignal(endpoint.timeoutMs, { caller: call.signal, lease: lease.signal });
    const wire = this.parts.wire.open(endpoint, end.signal);
    const startedAt = performance.now();
    try {
      const value = await end.race(send(wire));
      return { value, durationMs: Math.round(performance.now() - startedAt) };
    } catch (error) {
      if (end.endedBy === 'caller' || end.endedBy === 'lease') throw end.signal.reason;
      const own = appErrorAmong(wire.failure ?? error);
      if (own) throw own;
      const typed =
        end.endedBy === 'timeout'
          ? new ProviderTimeoutError(endpoint, endpoint.timeoutMs)
          : this.typed(endpoint, wire.failure ?? error, history);
      if (typed instanceof ProviderPauseError) await this.closeGate(lease, endpoint, typed);
      this.parts.reporter.report(typed, history.sends);
      throw typed;
    } finally {
      end.dispose();
      call.onReleased?.();
    }
  }

  /** Returns when the call may ask for its slot again. @throws the error itself when it may not */
  private async prepareNextSend(
    call: SlottedCallRequest,
    error: ProviderError,
    history: History,
  ): Promise<void> {
    const scope = this.parts.requestScope.current();
    if (scope?.kind === 'http' || !error.retryable) throw error;
    const { kind } = call.endpoint;
    if (error instanceof ProviderPauseError) {
      history.refusals += 1;
      if (kind === 'asr' && scope) return this.unpay();
      if (history.sends >= this.settings.llmAttempts) throw error.markSpent();
      history.waitedOut = { refusal: refusalOf(error), forMs: error.retryAfterMs };
      return;
    }
    if (kind === 'asr') throw error;
    if (history.sends >= this.settings.llmAttempts) throw error.markSpent();
    await delay(this.parts.pauses.backoff(history.sends - 1), call.signal);
  }

  /** In one step with giving the lease back, so that nobody slips through in between. */
  private async closeGate(
    lease: Lease,
    endpoint: ProviderEndpoint,
    error: ProviderPauseError,
  ): Promise<void> {
    const endpointCap = endpointCapName(endpoint);
    const reason = refusalOf(error);
    this.gates.close(endpointCap, reason, error.retryAfterMs);
    await lease.refuse({ forMs: error.retryAfterMs, reason, endpointCap });
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

  private typed(endpoint: ProviderEndpoint, cause: unknown, history: History): ProviderError {
    const failure = classifyFailure(cause, Date.now());
    const pauseMs = isCurable(failure.what)
      ? this.parts.pauses.afterRefusal(endpoint.kind, failure.retryAfterMs, history.refusals)
      : 0;
    return toProviderError(endpoint, failure, pauseMs);
  }

  /** "Busy" promises that nothing was sent; once something was, the provider's own answer is the truth. */
  private truthful(error: unknown, history: History): unknown {
    const isBusy = error instanceof AppError && GAVE_UP.has(error.code);
    return isBusy && history.lastError ? history.lastError : error;
  }

  private slotRequest(
    { endpoint, place, work }: SlottedCallRequest,
    ticket: string | undefined,
  ): SlotRequest {
    const { limit, limitSource } = this.parts.endpoints.limitOf(endpoint);
    const { kind, provider, host } = endpoint;
    return {
      placeId: place.placeId,
      group: place.group,
      caps: [
        ...(place.extraCaps ?? []),
        { name: endpointCapName(endpoint), limit, labels: { kind, provider, host, limitSource } },
      ],
      ...(ticket === undefined ? {} : { ticket }),
      ...(work === undefined ? {} : { work }),
      ...(place.wake === undefined ? {} : { wake: place.wake }),
      ...(place.expiresInMs === undefined ? {} : { expiresInMs: place.expiresInMs }),
      ...(place.leaseMs === undefined ? {} : { leaseMs: place.leaseMs }),
    };
  }
}

/** An error of ours from below, such as an unreadable recording: no answer of the provider's. */
function appErrorAmong(error: unknown): AppError | undefined {
  let link = error;
  for (let depth = 0; depth < DEEPEST_CAUSE && link instanceof Error; depth += 1) {
    if (link instanceof AppError) return link;
    link = link.cause;
  }
  return undefined;
}

function refusalOf(error: ProviderPauseError): CurableRefusal {
  return error.code === 'provider_rate_limited' ? 'rate_limited' : 'overloaded';
}

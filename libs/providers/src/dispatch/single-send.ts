import { AppError } from '@app/kernel';
import type { Lease } from '@app/provider-slots';
import { endpointCapName, type ProviderEndpoint } from '../endpoint/provider-endpoint';
import { classifyFailure } from '../refusal/classify-failure';
import type { PausePolicy } from '../refusal/pause-policy';
import {
  type ProviderError,
  ProviderPauseError,
  ProviderTimeoutError,
  toProviderError,
} from '../refusal/provider-errors';
import { isCurable } from '../refusal/provider-failure';
import type { RefusalReporter } from '../refusal/refusal-reporter';
import type { ProviderWire, Wire } from '../wire/provider-wire';
import { CallSignal } from './call-signal';
import type { Pause, SlottedCallRequest } from './calls';
import { LocalGates } from './local-gates';

/** What one call has been through so far. */
export interface CallHistory {
  sends: number;
  refusals: number;
  ticket?: string;
  /** The refusal that the next grant ends. */
  waitedOut?: Pause;
  lastError?: ProviderError;
}

const DEEPEST_CAUSE = 6;

/**
 * One request under one lease. It ends when the answer is there, when our time limit, the caller or the
 * lease ends it, or when the provider says no; a refusal that waiting can cure closes the endpoint's gate.
 */
export class SingleSend {
  private readonly gates = new LocalGates();

  constructor(
    private readonly wire: ProviderWire,
    private readonly pauses: PausePolicy,
    private readonly reporter: RefusalReporter,
  ) {}

  /** @throws ProviderError, HeldBack, or the reason that the caller or the lease ended it with */
  async run<T>(
    call: SlottedCallRequest,
    send: (wire: Wire) => Promise<T>,
    lease: Lease,
    history: CallHistory,
  ): Promise<{ value: T; durationMs: number }> {
    const { endpoint } = call;
    history.ticket = lease.ticket;
    if (lease.degraded) this.gates.check(endpointCapName(endpoint));
    if (history.waitedOut) call.onPause?.(history.waitedOut);
    history.waitedOut = undefined;
    await call.onGranted?.({ leaseId: lease.leaseId, ticket: lease.ticket });
    history.sends += 1;
    const end = new CallSignal(endpoint.timeoutMs, { caller: call.signal, lease: lease.signal });
    const wire = this.wire.open(endpoint, end.signal);
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
      this.reporter.report(typed, history.sends);
      throw typed;
    } finally {
      end.dispose();
      call.onReleased?.();
    }
  }

  /** In one step with giving the lease back, so that nobody slips through in between. */
  private async closeGate(
    lease: Lease,
    endpoint: ProviderEndpoint,
    error: ProviderPauseError,
  ): Promise<void> {
    const endpointCap = endpointCapName(endpoint);
    const reason = error.refusal;
    this.gates.close(endpointCap, reason, error.retryAfterMs);
    await lease.refuse({ forMs: error.retryAfterMs, reason, endpointCap });
  }

  private typed(endpoint: ProviderEndpoint, cause: unknown, history: CallHistory): ProviderError {
    const failure = classifyFailure(cause, Date.now());
    const pauseMs = isCurable(failure.what)
      ? this.pauses.afterRefusal(endpoint.kind, failure.retryAfterMs, history.refusals)
      : 0;
    return toProviderError(endpoint, failure, pauseMs);
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

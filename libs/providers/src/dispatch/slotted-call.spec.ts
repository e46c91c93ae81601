import { AppConfig } from '@app/config';
import { newJobScope, RequestScope, type Scope } from '@app/request-scope';
import { composeProviders } from '../compose-providers';
import { FakeParkedError, FakeSlots } from '../testing/fake-slots';
import type { Pause, ProseCall, TranscribeCall } from './calls';

function setup(given: Partial<AppConfig> = {}) {
  const config = Object.assign(
    new AppConfig(),
    { QB_ASR_PROVIDER: 'stub', QB_LLM_PROVIDER: 'stub', QB_LLM_TIMEOUT_MS: 5_000, QB_ASR_TIMEOUT_MS: 5_000 },
    given,
  );
  const requestScope = new RequestScope();
  const slots = new FakeSlots(requestScope);
  const counted: Array<Record<string, string>> = [];
  const refusalsTotal = { inc: (labels: Record<string, string>) => void counted.push(labels) };
  const parts = composeProviders({
    config,
    slots: slots.asSlots(),
    requestScope,
    metrics: { refusalsTotal } as never,
  });
  const { stub } = parts.adapters;
  const inScope = <T>(scope: Scope, work: () => Promise<T>): Promise<T> => requestScope.run(scope, work);
  return { ...parts, slots, stub, counted, inScope };
}

const http: Scope = { kind: 'http', requestId: 'r' };

function prose(more: Partial<ProseCall> = {}): ProseCall {
  return { use: 'llm', prompt: 'Write', place: { placeId: 'p', group: 'team' }, ...more };
}

function recording(more: Partial<TranscribeCall> = {}): TranscribeCall {
  const audio = {
    path: '/nowhere',
    filename: 'a.wav',
    contentType: 'audio/wav',
    bytes: 9,
    durationSeconds: 60,
  };
  return { audio, place: { placeId: 'p', group: 'team' }, ...more };
}

const limited = (headers = {}) => ({ status: 429, headers });

describe('SlottedCall', () => {
  it('asks for the caps of the place, narrower ones first, and the endpoint last', async () => {
    const { dispatch, slots } = setup({ QB_LLM_CONCURRENCY_LIMIT: 3 });
    const extraCaps = [
      { name: 'generations:t', limit: 4 },
      { name: 'generations', limit: 16 },
    ];
    const place = { placeId: 'p', group: 'team', ticket: '7', wake: 'w', expiresInMs: 5, extraCaps };
    await dispatch.dispatchProse(prose({ place }));
    const labels = { kind: 'llm', provider: 'stub', host: 'in-process:0', limitSource: 'environment' };
    const endpointCap = { name: 'llm:stub:in-process:0', limit: 3, labels };
    const caps = [...extraCaps, endpointCap];
    expect(slots.requests).toEqual([
      { placeId: 'p', group: 'team', ticket: '7', wake: 'w', expiresInMs: 5, work: 1, caps },
    ]);
  });

  it('tells the audio seconds as the expected work of a transcription', async () => {
    const { dispatch, slots } = setup();
    await dispatch.transcribe(recording());
    expect(slots.requests[0]?.work).toBe(60);
  });

  describe('refused in a request', () => {
    it('closes the gate and throws at once, with the time', async () => {
      const { dispatch, slots, stub, inScope, counted } = setup();
      stub.failWith(limited({ 'retry-after': '5' }));
      const error = await inScope(http, () => dispatch.dispatchProse(prose())).catch(
        (thrown: unknown) => thrown,
      );
      expect(error).toMatchObject({ code: 'provider_rate_limited', retryable: true, status: 429 });
      expect((error as { retryAfterMs: number }).retryAfterMs).toBeGreaterThanOrEqual(5_000);
      expect(slots.refusals).toEqual([
        {
          forMs: (error as { retryAfterMs: number }).retryAfterMs,
          reason: 'rate_limited',
          endpointCap: 'llm:stub:in-process:0',
        },
      ]);
      expect(stub.requests).toBe(1);
      expect(counted).toEqual([{ kind: 'llm', provider: 'stub', refusal: 'rate_limited' }]);
    });
  });

  describe('refused in a job', () => {
    it('parks a transcription, for which nothing was paid, under its own ticket', async () => {
      const { dispatch, slots, stub, inScope } = setup();
      stub.failWith(limited());
      const scope = newJobScope('r');
      await expect(inScope(scope, () => dispatch.transcribe(recording()))).rejects.toThrow(FakeParkedError);
      expect(scope.providerCalls).toBe(0);
      expect(stub.requests).toBe(1);
      expect(slots.requests[1]?.ticket).toBe('t1');
      expect(slots.refusals[0]?.forMs).toBeGreaterThanOrEqual(20_000);
    });

    it('waits a text call out in place and tells of each pause', async () => {
      const { dispatch, slots, stub, inScope } = setup();
      stub.failWith(limited({ 'retry-after-ms': '10' }), { status: 529 });
      const pauses: Pause[] = [];
      const call = prose({ onPause: (pause) => pauses.push(pause) });
      const result = await inScope(newJobScope('r'), () => dispatch.dispatchProse(call));
      expect(result.meter.calls).toBe(1);
      expect(stub.requests).toBe(3);
      expect(pauses.map(({ refusal }) => refusal)).toEqual(['rate_limited', 'overloaded']);
      expect(slots.refusals.map(({ reason }) => reason)).toEqual(['rate_limited', 'overloaded']);
    });

    it('sends one text call three times at most', async () => {
      const { dispatch, stub, inScope } = setup();
      stub.failWith(...Array.from({ length: 9 }, () => limited()));
      const sending = inScope(newJobScope('r'), () => dispatch.dispatchProse(prose()));
      await expect(sending).rejects.toMatchObject({ code: 'provider_rate_limited', retryable: false });
      expect(stub.requests).toBe(3);
    });

    it('sends it three times at most also when its job was parked in between', async () => {
      const { dispatch, slots, stub, inScope } = setup();
      stub.failWith(...Array.from({ length: 9 }, () => limited()));
      slots.parksBehindGate = true;
      const first = newJobScope('r');
      await expect(inScope(first, () => dispatch.dispatchProse(prose()))).rejects.toThrow(FakeParkedError);
      expect([stub.requests, first.parkedSends]).toEqual([1, 1]);
      slots.parksBehindGate = false;
      const second = newJobScope('r', undefined, first.parkedSends);
      const sending = inScope(second, () => dispatch.dispatchProse(prose()));
      await expect(sending).rejects.toMatchObject({ code: 'provider_rate_limited', retryable: false });
      expect(stub.requests).toBe(3);
    });

    it.each([
      ['provider_quota_exhausted', { status: 429, error: { code: 'insufficient_quota' } }],
      ['provider_quota_exhausted', { status: 402 }],
      ['provider_rejected', { status: 401 }],
      ['provider_failed', { status: 502 }],
      ['provider_failed', { status: 504 }],
    ])('fails with %s after one send of %p', async (code, failure) => {
      const { dispatch, slots, stub, inScope } = setup();
      stub.failWith(failure);
      const sending = inScope(newJobScope('r'), () => dispatch.dispatchProse(prose()));
      await expect(sending).rejects.toMatchObject({ code, retryable: false });
      expect(stub.requests).toBe(1);
      expect(slots.refusals).toEqual([]);
    });
  });

  it('sends a broken text call of a job again, without a slot in between, three times at most', async () => {
    const { dispatch, slots, stub, inScope } = setup();
    stub.failWith(...Array.from({ length: 9 }, () => ({ status: 500 })));
    const heldAtSend: number[] = [];
    const call = prose({ onGranted: () => void heldAtSend.push(slots.held) });
    const sending = inScope(newJobScope('r'), () => dispatch.dispatchProse(call));
    await expect(sending).rejects.toMatchObject({ code: 'provider_failed', retryable: false });
    expect(stub.requests).toBe(3);
    expect(heldAtSend).toEqual([1, 1, 1]);
    expect(slots.held).toBe(0);
  });

  it('leaves the retry of a broken transcription to its job', async () => {
    const { dispatch, stub, inScope } = setup();
    stub.failWith({ status: 500 });
    const sending = inScope(newJobScope('r'), () => dispatch.transcribe(recording()));
    await expect(sending).rejects.toMatchObject({ code: 'provider_failed', retryable: true });
    expect(stub.requests).toBe(1);
  });

  describe('while Redis is away', () => {
    const brief = { 'retry-after-ms': '50' };

    it('keeps a refused transcription away for as long as was asked, without a slot', async () => {
      const { dispatch, slots, stub, inScope } = setup();
      slots.degraded = true;
      stub.failWith(limited(brief), limited(brief));
      const scope = newJobScope('r');
      const startedAt = performance.now();
      await inScope(scope, () => dispatch.transcribe(recording()));
      expect(performance.now() - startedAt).toBeGreaterThanOrEqual(100);
      expect([stub.requests, scope.providerCalls, slots.held]).toEqual([3, 1, 0]);
    });

    it('refuses a request in the pause that another one was given', async () => {
      const { dispatch, slots, stub, inScope } = setup();
      slots.degraded = true;
      stub.failWith(limited({ 'retry-after': '60' }));
      const asking = () => inScope(http, () => dispatch.dispatchProse(prose()));
      await expect(asking()).rejects.toMatchObject({ code: 'provider_rate_limited' });
      await expect(asking()).rejects.toMatchObject({ code: 'provider_busy', blockedBy: { reason: 'gate' } });
      expect(stub.requests).toBe(1);
    });
  });

  it('ends a call at its time limit, gives the slot back and says so', async () => {
    const { dispatch, slots, stub, inScope } = setup({ QB_LLM_TIMEOUT_MS: 100 });
    stub.holdMs = 60_000;
    const sending = inScope(http, () => dispatch.dispatchProse(prose()));
    await expect(sending).rejects.toMatchObject({ code: 'provider_timeout', timeoutMs: 100 });
    expect([slots.held, stub.inFlight]).toEqual([0, 0]);
  });

  it("ends a call whose caller goes away, with the caller's reason", async () => {
    const { dispatch, slots, stub } = setup();
    stub.holdMs = 60_000;
    const gone = new AbortController();
    const sending = dispatch.dispatchProse(
      prose({
        signal: gone.signal,
        onGranted: () => void setImmediate(() => gone.abort(new Error('cancelled'))),
      }),
    );
    await expect(sending).rejects.toThrow('cancelled');
    expect([slots.held, stub.inFlight, stub.requests]).toEqual([0, 0, 1]);
  });

  it('ends a call whose lease was taken over', async () => {
    const { dispatch, slots, stub } = setup();
    stub.holdMs = 60_000;
    const sending = dispatch.dispatchProse(
      prose({ onGranted: () => void setImmediate(() => slots.takeOver.abort(new Error('lost'))) }),
    );
    await expect(sending).rejects.toThrow('lost');
    expect(stub.inFlight).toBe(0);
  });

  it('gives the slot back when the caller fails on being granted, without blaming the provider', async () => {
    const { dispatch, slots, stub } = setup();
    const onGranted = () => Promise.reject(new Error('the row is gone'));
    await expect(dispatch.dispatchProse(prose({ onGranted }))).rejects.toThrow('the row is gone');
    expect([slots.held, stub.requests]).toEqual([0, 0]);
  });
});

import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { type Answer, jsonAnswer } from '../answers/answer';
import { AnswerComposer, type ReadCall } from '../answers/answer-composer';
import { untilClosed, writeAnswer } from '../answers/answer-writer';
import type { TranscriptTable } from '../answers/transcript-table';
import type { Dialect } from '../dialects/dialect';
import { BadCallError } from '../dialects/provider-error';
import type { CallKind, EmulatorSettings } from '../emulator-settings';
import type { FlightRecorder } from '../flight-recorder';
import type { Action } from '../script/script';
import type { Cue, ScriptPlayer } from '../script/script-player';
import type { HeldCalls } from './held-calls';
import { InnerQueue } from './inner-queue';
import type { ProviderRoute } from './provider-routes';
import { readCall } from './read-call';
import { Turn } from './turn';

const USUAL_LLM_HOLD_MS = 200;
/** A transcription takes half of the audio's length, and never more than a minute. */
const ASR_PACE = 0.5;
const LONGEST_ASR_HOLD_MS = 60_000;

/** Takes each provider request from its arrival to its end: reads it, asks the script, works, answers. */
export class CallDesk {
  private readonly composer: AnswerComposer;
  private readonly waits = new Set<AbortController>();
  private readonly queues: Readonly<Record<CallKind, InnerQueue>> = {
    asr: new InnerQueue(() => this.settings().concurrency.asr),
    llm: new InnerQueue(() => this.settings().concurrency.llm),
  };

  constructor(
    private readonly settings: () => EmulatorSettings,
    private readonly recorder: FlightRecorder,
    private readonly script: ScriptPlayer,
    private readonly held: HeldCalls,
    transcripts: TranscriptTable,
  ) {
    this.composer = new AnswerComposer(transcripts);
  }

  /** Never rejects: whatever goes wrong with one request ends that request only. */
  async take(
    request: IncomingMessage,
    response: ServerResponse,
    route: ProviderRoute,
    path: string,
  ): Promise<void> {
    const [usual] = route.dialects as readonly Dialect[];
    if (usual === undefined) throw new Error('A route without a dialect');
    const method = request.method ?? '';
    const flight = this.recorder.open({ method, path, kind: route.kind, dialect: usual.name });
    const turn = new Turn(request, response, route, flight);
    this.waits.add(turn.gone);
    try {
      await this.answer(turn, usual);
    } catch (error) {
      await this.fail(turn, usual, error).catch(() => response.destroy());
    } finally {
      this.waits.delete(turn.gone);
    }
  }

  /** Lets calls in that a raised concurrency has room for. */
  admit(): void {
    this.queues.asr.admit();
    this.queues.llm.admit();
  }

  /** Ends every wait, also of calls whose clients have gone. */
  stop(): void {
    for (const gone of this.waits) gone.abort(new Error('The emulator stops'));
  }

  private async answer(turn: Turn, usual: Dialect): Promise<void> {
    const { facts, route } = turn;
    const early = this.script.cueAtArrival(facts);
    if (early) return this.refuse(turn, usual, early);
    if (route.kind === 'info') {
      const cue = this.script.cueAfterBody(facts);
      const told = route.answer(this.settings());
      return cue ? this.refuse(turn, usual, cue, told) : this.send(turn, told, {});
    }
    const { call, prompt, digest } = await readCall(turn.request, route);
    turn.flight.entry.digest = digest;
    this.recorder.markFlight(turn.flight, prompt);
    return this.play(turn, call, this.script.cueAfterBody({ ...facts, prompt, digest }));
  }

  private async play(turn: Turn, read: ReadCall, cue: Cue | undefined): Promise<void> {
    const action = cue?.rule.action ?? {};
    const call = { ...read, dialect: turn.dialectFor<Dialect>(read.dialect, cue?.rule) } as ReadCall;
    if (cue && this.isRefusal(call.dialect, action)) return this.refuse(turn, call.dialect, cue);
    turn.flight.entry.rule = cue?.number ?? null;
    // Composed first: a call that cannot be answered is refused at once, not after its hold.
    const answer = this.composer.usual(call, action);
    const queue = this.queues[call.kind];
    if (queue.isFull && this.settings().whenFull === 'refuse') {
      const { status, body } = call.dialect.error('rate_limited');
      return this.send(turn, jsonAnswer(status, body), { retry_after: 1 });
    }
    await this.work(turn, queue, action.ignore_close ? new AbortController() : turn.gone, async (signal) => {
      await this.wait(turn, action, this.usualHoldMs(call), signal);
      await this.send(turn, answer, action);
    });
  }

  /** Runs one call in a slot of the server's own; `gone` ends it early. */
  private async work(
    turn: Turn,
    queue: InnerQueue,
    gone: AbortController,
    run: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    this.waits.add(gone);
    try {
      const slot = await queue.enter(gone.signal);
      await run(gone.signal).finally(() => slot.release());
    } finally {
      if (gone !== turn.gone) this.waits.delete(gone);
    }
  }

  private isRefusal(dialect: Dialect, action: Action): boolean {
    if (action.cut === 'before_headers' || action.hang === 'before_headers') return true;
    return this.composer.scripted(dialect, action) !== undefined;
  }

  /** A script's answer that is no work: takes no inner slot and has no usual hold. */
  private async refuse(turn: Turn, usual: Dialect, cue: Cue, otherwise?: Answer): Promise<void> {
    const { action } = cue.rule;
    turn.flight.entry.rule = cue.number;
    const dialect = turn.dialectFor(usual, cue.rule);
    await this.wait(turn, action, 0, turn.gone.signal);
    if (action.cut === 'before_headers') return turn.cut();
    if (action.hang === 'before_headers') return untilClosed(turn.gone.signal);
    return this.send(
      turn,
      this.composer.scripted(dialect, action) ?? otherwise ?? jsonAnswer(200, {}),
      action,
    );
  }

  private async send(turn: Turn, answer: Answer, action: Action): Promise<void> {
    if (turn.response.destroyed) return;
    const dressed = this.composer.dressed(answer, action);
    const end = await writeAnswer(turn.response, dressed, action, turn.gone.signal);
    if (end === 'cut') turn.cut();
  }

  private async fail({ response, gone }: Turn, dialect: Dialect, error: unknown): Promise<void> {
    if (response.headersSent || response.destroyed || gone.signal.aborted) {
      response.destroy();
      return;
    }
    const problem = error instanceof BadCallError ? error : new BadCallError(String(error), 'server_error');
    const { status, body } = dialect.error(problem.errorName, problem.message);
    await writeAnswer(response, jsonAnswer(status, body), {}, gone.signal);
  }

  private async wait(turn: Turn, action: Action, usualMs: number, signal: AbortSignal): Promise<void> {
    if (action.hold) return this.held.wait(turn.flight.entry, signal);
    const holdMs = action.delay_ms ?? usualMs;
    if (holdMs > 0) await delay(holdMs, undefined, { signal });
  }

  private usualHoldMs(call: ReadCall): number {
    const configured = this.settings().holdMs[call.kind];
    if (configured !== undefined || call.kind === 'llm') return configured ?? USUAL_LLM_HOLD_MS;
    return Math.min(LONGEST_ASR_HOLD_MS, Math.round(call.audio.durationSeconds * 1000 * ASR_PACE));
  }
}

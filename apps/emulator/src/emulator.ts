import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { jsonAnswer } from './answers/answer';
import { TranscriptTable } from './answers/transcript-table';
import { CallDesk } from './calls/call-desk';
import { HeldCalls, type ReleaseFilter } from './calls/held-calls';
import { findRoute } from './calls/provider-routes';
import { answerControl } from './control-routes';
import { DEFAULT_SETTINGS, type EmulatorSettings } from './emulator-settings';
import { type EmulatorStats, type FlightEntry, FlightRecorder } from './flight-recorder';
import type { Rule, Script } from './script/script';
import { ScriptPlayer } from './script/script-player';
import { readScript } from './script/script-reader';

/**
 * A server that speaks the providers' dialects without any model behind it, so that the product can be
 * tried, tested and rehearsed on a bare machine. It takes every request at once and records the most it
 * ever had in flight, which is how a limit is proven at the wire. Whatever it answers says that it is emulated.
 */
export class Emulator {
  private settings: EmulatorSettings;
  private server: Server | undefined;
  private readonly recorder: FlightRecorder;
  private readonly player = new ScriptPlayer();
  private readonly held = new HeldCalls();
  private readonly desk: CallDesk;

  constructor(settings: Partial<EmulatorSettings> = {}) {
    this.settings = { ...DEFAULT_SETTINGS, ...settings };
    this.recorder = new FlightRecorder(this.settings.logSize);
    this.desk = new CallDesk(
      () => this.settings,
      this.recorder,
      this.player,
      this.held,
      TranscriptTable.load(),
    );
  }

  /** @throws the listen error, such as EADDRINUSE; a second start needs a stop before it. */
  async start(port = 0, host = '127.0.0.1'): Promise<this> {
    if (this.server) throw new Error('The emulator has been started already');
    const server = createServer((request, response) => void this.answer(request, response));
    // None of Node's own limits may end a call: a 620 s silence and a slow 500 MB upload are both rehearsed.
    server.requestTimeout = 0;
    server.headersTimeout = 0;
    server.timeout = 0;
    // An idle connection is the client's to close: a close of ours that crosses a client's next request
    // would look like a reset that nobody scripted.
    server.keepAliveTimeout = 0;
    server.on('clientError', refuseGarbage);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
    this.server = server;
    return this;
  }

  /** Base URL without a trailing slash. @throws Error before start */
  get url(): string {
    const address = this.server?.address() as AddressInfo | null | undefined;
    if (!address) throw new Error('The emulator has not been started');
    return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`;
  }

  /** Breaks every connection and resolves when the port is free. */
  async stop(): Promise<void> {
    const server = this.server;
    if (!server) return;
    this.server = undefined;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    this.desk.stop();
    server.closeAllConnections();
    await closed;
  }

  stats(): EmulatorStats {
    return this.recorder.stats();
  }

  /** The requests seen, oldest first, those in flight included. */
  log(): { items: FlightEntry[]; dropped: number } {
    return this.recorder.log();
  }

  /** Resolves once `holds` is true of the stats. @throws Error when it is not within `timeoutMs` */
  async until(holds: (stats: EmulatorStats) => boolean, timeoutMs = 10_000): Promise<void> {
    await this.recorder.until(holds, timeoutMs);
  }

  /** Resolves once a script holds at least `count` calls: from then on a release finds them. @throws Error */
  async untilHeld(count: number, timeoutMs = 10_000): Promise<void> {
    await this.held.until(count, timeoutMs);
  }

  /** Puts a script in force, instead of the one before. @throws BadScriptError */
  script(script: Script | readonly (Partial<Rule> & Pick<Rule, 'action'>)[]): void {
    this.player.put(readScript('rules' in script ? script : { rules: script }));
  }

  /** The rules with how many requests each met and how often it acted, and how many calls are held now. */
  scriptInForce(): ReturnType<ScriptPlayer['snapshot']> & { held: number } {
    return { ...this.player.snapshot(), held: this.held.size };
  }

  /** Lets go of calls that a script holds, oldest first. @returns how many */
  release(filter: ReleaseFilter = {}): number {
    return this.held.release(filter);
  }

  /** Changes settings while calls run; they count from the next call on. */
  adjust(change: Partial<Omit<EmulatorSettings, 'logSize'>>): void {
    this.settings = { ...this.settings, ...change };
    this.desk.admit();
  }

  settingsInForce(): object {
    const { holdMs, concurrency, advertised, whenFull } = this.settings;
    return { hold_ms: holdMs, concurrency, advertised_concurrency: advertised, when_full: whenFull };
  }

  /** Forgets script, log, peaks and counts, and lets go of held calls. What is in flight stays counted. */
  reset(): void {
    this.player.put({ rules: [] });
    this.held.release();
    this.recorder.reset();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = URL.canParse(request.url ?? '', 'http://emulator')
      ? new URL(request.url ?? '', 'http://emulator')
      : new URL('http://emulator/unreadable');
    if (url.pathname.startsWith('/emulator/')) return answerControl(this, request, response, url);
    const route = findRoute(request.method ?? '', url.pathname);
    if (route) return this.desk.take(request, response, route, url.pathname);
    const { frames } = jsonAnswer(404, { error: `No provider has ${request.method} ${url.pathname}` });
    response.on('error', () => undefined);
    response.writeHead(404, { 'Content-Type': 'application/json' }).end(frames.join(''));
  }
}

/** What is no HTTP at all. */
function refuseGarbage(_error: Error, socket: Socket): void {
  if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
  else socket.destroy();
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Dialect } from '../dialects/dialect';
import type { Flight } from '../flight-recorder';
import type { Rule } from '../script/script';
import type { RequestFacts } from '../script/script-player';
import type { ProviderRoute } from './provider-routes';

/** One request with all that answering it needs, and how it ends. */
export class Turn {
  /** Aborted when the client goes away or the emulator stops. */
  readonly gone = new AbortController();

  constructor(
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
    readonly route: ProviderRoute,
    readonly flight: Flight,
  ) {
    // A client that goes away in mid-write is an early close, told by `close`; the error adds nothing.
    response.on('error', () => undefined);
    response.once('finish', () => this.land('answered'));
    response.once('close', () => {
      this.land('closed_early');
      this.gone.abort(new Error('The client went away'));
    });
  }

  get facts(): RequestFacts {
    const { kind, path } = this.flight.entry;
    return { kind, path, dialects: this.route.dialects.map(({ name }) => name) };
  }

  /** Breaks the connection with a reset, as a crashed server or a proxy does. */
  cut(): void {
    this.land('cut');
    const { socket } = this.response;
    // A reset of a socket that is closing already leaves Node 20 spinning when its process exits.
    if (socket?.readyState === 'open') socket.resetAndDestroy();
    else socket?.destroy();
  }

  /** The dialect a rule names, or its error belongs to; else the usual one. */
  dialectFor<D extends Dialect>(usual: D, rule?: Rule): D {
    const dialects = this.route.dialects as readonly Dialect[] as readonly D[];
    const wanted = rule?.match.dialect ?? (rule?.action.error === 'loading_model' ? 'llamacpp' : usual.name);
    const chosen = dialects.find(({ name }) => name === wanted) ?? usual;
    this.flight.entry.dialect = chosen.name;
    return chosen;
  }

  private land(outcome: 'answered' | 'closed_early' | 'cut'): void {
    this.flight.land(outcome, this.response.headersSent ? this.response.statusCode : null);
  }
}

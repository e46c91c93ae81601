import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { followEvents, type StreamState } from './event-stream';
import type { StreamEvent } from './sse-parser';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const stream =
  (...pieces: string[]): Answer =>
  (_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    for (const piece of pieces) response.write(piece);
    response.end();
  };

describe('followEvents', () => {
  async function setup(answers: Answer[]) {
    const seen: Array<string | undefined> = [];
    const server = createServer((request, response) => {
      seen.push(request.headers['last-event-id'] as string | undefined);
      const answer = answers.shift();
      if (answer) answer(request, response);
      else response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(':\n\n');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const events: StreamEvent[] = [];
    const states: StreamState[] = [];
    let changed = (): void => undefined;
    const stop = followEvents({
      open: (headers, signal) => fetch(`http://127.0.0.1:${port}/`, { headers, signal }),
      onEvent: (event) => (events.push(event), changed()),
      onState: (state) => (states.push(state), changed()),
      random: () => 0,
      firstPauseMs: 2,
      silenceMs: 200,
    });
    return {
      events,
      states,
      seen,
      until: async (done: () => boolean) => {
        while (!done()) await new Promise<void>((resolve) => (changed = resolve));
      },
      close: () => {
        stop();
        server.closeAllConnections();
        server.close();
      },
    };
  }

  it('opens a cut stream again where it ended', async () => {
    const world = await setup([stream('id: 4\ndata: a\n\n'), stream('id: 5\ndata: b\n\n')]);
    await world.until(() => world.events.length === 2 && world.seen.length >= 2);
    expect(world.events.map(({ data }) => data)).toEqual(['a', 'b']);
    expect(world.seen.slice(0, 2)).toEqual([undefined, '4']);
    world.close();
  });

  it('leaves it to polling for good where there is no such stream', async () => {
    const world = await setup([(_, response) => response.writeHead(404).end()]);
    await world.until(() => world.states.length > 0);
    expect(world.states).toEqual(['refused']);
    world.close();
  });

  it('comes back from a server that was away for a while', async () => {
    const away: Answer = (_, response) => response.writeHead(503).end();
    const world = await setup([away, away, stream('data: back\n\n')]);
    await world.until(() => world.events.length === 1);
    expect(world.states.slice(0, 3)).toEqual(['polling', 'polling', 'live']);
    world.close();
  });

  it('takes a stream without heartbeats for dead', async () => {
    const silent: Answer = (_, response) => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' }).flushHeaders();
    };
    const world = await setup([silent, stream('data: fresh\n\n')]);
    await world.until(() => world.events.length === 1);
    expect(world.states[0]).toBe('live');
    world.close();
  });
});

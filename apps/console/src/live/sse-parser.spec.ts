import { SseParser, type StreamEvent } from './sse-parser';

describe('SseParser', () => {
  const STREAM =
    ': hello\r\nretry: 1500\r\nid: 7\r\nevent: wait\r\ndata: {"position":\r\ndata: 3}\r\n\r\ndata: x\n\n';
  const EVENTS: StreamEvent[] = [
    { type: 'wait', data: '{"position":\n3}', id: '7' },
    { type: 'message', data: 'x', id: '7' },
  ];

  it('reads a stream the same, wherever it is cut', () => {
    for (let cut = 0; cut <= STREAM.length; cut += 1) {
      const parser = new SseParser();
      expect([...parser.push(STREAM.slice(0, cut)), ...parser.push(STREAM.slice(cut))]).toEqual(EVENTS);
      expect(parser.retryMs).toBe(1500);
    }
  });

  it('takes a heartbeat for no event', () => {
    expect(new SseParser().push(':\n\n: still here\n\n')).toEqual([]);
  });
});

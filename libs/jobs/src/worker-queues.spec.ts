import { WorkerQueues } from './worker-queues';

describe('WorkerQueues', () => {
  it.each([
    [
      ['--queues', 'transcribe,summarise'],
      ['transcribe', 'summarise'],
    ],
    [['--queues=generations-fast'], ['generations-fast']],
    [
      ['--queues', 'a, b', '--queues=b,c'],
      ['a', 'b', 'c'],
    ],
  ])('reads %j', (argv, names) => {
    expect(WorkerQueues.fromArguments(argv).names).toEqual(names);
  });

  it('consumes everything unless told otherwise', () => {
    const queues = WorkerQueues.fromArguments([]);
    expect(queues.names).toBeUndefined();
    expect(queues.includes('whatever')).toBe(true);
  });

  it.each([[['--queues']], [['--queues', '']], [['--queues', 'Two Words']], [['--queues=a,,b']]])(
    'refuses %j',
    (argv) => {
      expect(() => WorkerQueues.fromArguments(argv)).toThrow('--queues');
    },
  );
});

/** Which queues this process consumes, by their names in Redis: what a worker was told with `--queues`. */
export class WorkerQueues {
  /** @param names undefined: all that this installation posts to */
  constructor(readonly names: readonly string[] | undefined) {}

  /** @throws Error for arguments that make no sense; the message says what would */
  static fromArguments(argv: readonly string[]): WorkerQueues {
    const values = argv.flatMap((argument, index) => {
      if (argument === '--queues') return [argv[index + 1] ?? ''];
      return argument.startsWith('--queues=') ? [argument.slice('--queues='.length)] : [];
    });
    if (values.length === 0) return new WorkerQueues(undefined);
    const names = values
      .join(',')
      .split(',')
      .map((name) => name.trim());
    const wrong = names.filter((name) => !/^[a-z][a-z0-9-]{0,39}$/.test(name));
    if (wrong.length > 0) {
      throw new Error(
        '--queues takes names of queues with commas between, e.g. --queues transcribe,summarise',
      );
    }
    return new WorkerQueues([...new Set(names)]);
  }

  includes(name: string): boolean {
    return this.names?.includes(name) ?? true;
  }
}

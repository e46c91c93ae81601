import type Redis from 'ioredis';
import type { ScriptName, SlotLibrary } from './slot-scripts';

/**
 * Runs the scripts as functions of their library, which it loads when the server does not know it: at first, after
 * `FUNCTION FLUSH`, on a server that came back empty. A server without functions (before Redis 7, or an account that
 * may not load any) gets the same text as scripts, which are slower and else the same.
 */
export class ScriptRunner {
  private hasFunctions = true;

  constructor(
    private readonly redis: Redis,
    private readonly library: SlotLibrary,
  ) {}

  /** `args`: root first. Throws what Redis answers. */
  async run(name: ScriptName, root: string, args: readonly string[]): Promise<string[]> {
    // A library that is flushed again and again is no reason to fail: the second time the text is sent along.
    for (let tries = 0; this.hasFunctions && tries < 2; tries += 1) {
      try {
        const { functionName } = this.library.scripts[name];
        return (await this.redis.fcall(functionName, 1, root, ...args)) as string[];
      } catch (error) {
        await this.judge(error);
      }
    }
    return this.evaluate(name, root, args);
  }

  /** Mends what kept a function from running. @throws the error when that was something else. */
  private async judge(error: unknown): Promise<void> {
    if (says(error, 'Function not found')) await this.load();
    else if (isRefusalOfFunctions(error)) this.hasFunctions = false;
    else throw error;
  }

  private async load(): Promise<void> {
    try {
      await this.redis.function('LOAD', this.library.body);
    } catch (error) {
      if (isRefusalOfFunctions(error)) this.hasFunctions = false;
      // Another call, or another process, was faster.
      else if (!says(error, 'already exists')) throw error;
    }
  }

  private async evaluate(name: ScriptName, root: string, args: readonly string[]): Promise<string[]> {
    const { sha, body } = this.library.scripts[name];
    try {
      return (await this.redis.evalsha(sha, 1, root, ...args)) as string[];
    } catch (error) {
      if (!says(error, 'NOSCRIPT')) throw error;
      return (await this.redis.eval(body, 1, root, ...args)) as string[];
    }
  }
}

function says(error: unknown, words: string): boolean {
  return error instanceof Error && error.message.includes(words);
}

function isRefusalOfFunctions(error: unknown): boolean {
  return says(error, 'unknown command') || says(error, 'NOPERM');
}

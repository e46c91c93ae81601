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
    if (this.hasFunctions) {
      try {
        return await this.callFunction(name, root, args);
      } catch (error) {
        if (!isRefusalOfFunctions(error)) throw error;
        this.hasFunctions = false;
      }
    }
    return this.evaluate(name, root, args);
  }

  private async callFunction(name: ScriptName, root: string, args: readonly string[]): Promise<string[]> {
    const { functionName } = this.library.scripts[name];
    try {
      return (await this.redis.fcall(functionName, 1, root, ...args)) as string[];
    } catch (error) {
      if (!says(error, 'Function not found')) throw error;
    }
    await this.load();
    return (await this.redis.fcall(functionName, 1, root, ...args)) as string[];
  }

  private async load(): Promise<void> {
    try {
      await this.redis.function('LOAD', this.library.body);
    } catch (error) {
      // Another call, or another process, was faster.
      if (!says(error, 'already exists')) throw error;
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

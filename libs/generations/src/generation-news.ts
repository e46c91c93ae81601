import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { AppConfig } from '@app/config';
import { Broadcast } from '@app/redis';

const ENDED = 'generation-ended';
const CAPS = 'generation-caps';

/** What the processes tell each other about generations. Lost news cost time, nothing else. */
@Injectable()
export class GenerationNews implements OnApplicationShutdown {
  private readonly broadcast: Broadcast;
  private readonly waiting = new Map<string, Set<() => void>>();
  private isListening = false;

  constructor(config: AppConfig) {
    this.broadcast = new Broadcast(config.REDIS_URL ?? '', config.QB_REDIS_PREFIX);
  }

  onApplicationShutdown(): void {
    this.broadcast.close();
  }

  /** Tells whoever waits for this generation that it has ended. */
  tellEnded(id: string): void {
    this.broadcast.tell(ENDED, id).catch(() => undefined);
  }

  /** Calls back when the generation has ended, if news of it arrives. @returns how to stop */
  whenEnded(id: string, tell: () => void): () => void {
    if (!this.isListening)
      this.broadcast.listen(ENDED, (ended) => this.waiting.get(ended)?.forEach((call) => call()));
    this.isListening = true;
    const callers = this.waiting.get(id) ?? new Set();
    this.waiting.set(id, callers.add(tell));
    return () => {
      callers.delete(tell);
      if (callers.size === 0) this.waiting.delete(id);
    };
  }

  /** Tells every process that stored limits have changed. @throws when Redis is away */
  async tellCapsChanged(): Promise<void> {
    await this.broadcast.tell(CAPS, '');
  }

  whenCapsChanged(tell: () => void): void {
    this.broadcast.listen(CAPS, tell);
  }
}

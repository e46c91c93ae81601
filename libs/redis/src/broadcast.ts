import type Redis from 'ioredis';
import { connectRedis } from './redis-connection';

/**
 * Short messages to every process of the installation, this one included. A message may be lost while Redis is
 * away, so whoever listens must also find out by other means, if later.
 */
export class Broadcast {
  private readonly publisher: Redis;
  private readonly subscriber: Redis;
  private readonly listeners = new Map<string, Set<(message: string) => void>>();

  constructor(
    url: string,
    private readonly prefix: string,
  ) {
    this.publisher = connectRedis(url, 'commands', 'questline-broadcast');
    this.subscriber = connectRedis(url, 'blocking', 'questline-broadcast-listener');
    this.subscriber.on('message', (channel, message) => {
      for (const listener of this.listeners.get(channel) ?? []) listener(message);
    });
  }

  /** @throws when Redis is away: nobody was told. */
  async tell(topic: string, message: string): Promise<void> {
    await this.publisher.publish(this.channelOf(topic), message);
  }

  /** Hears a topic from now on; while Redis is away, from its return on. @returns how to stop */
  listen(topic: string, listener: (message: string) => void): () => void {
    const channel = this.channelOf(topic);
    const listeners = this.listeners.get(channel) ?? new Set();
    this.listeners.set(channel, listeners.add(listener));
    // Rejected only when the connection is closed for good.
    if (listeners.size === 1) this.subscriber.subscribe(channel).catch(() => undefined);
    return () => listeners.delete(listener);
  }

  close(): void {
    this.subscriber.disconnect();
    this.publisher.disconnect();
  }

  private channelOf(topic: string): string {
    return `${this.prefix}:news:${topic}`;
  }
}

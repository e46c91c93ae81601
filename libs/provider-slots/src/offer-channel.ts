import type Redis from 'ioredis';

interface OfferMessage {
  readonly placeId: string;
}

/** This process's own channel, on which its in-place waiters are told of their offers. */
export class OfferChannel {
  private ready: Promise<unknown> | undefined;

  constructor(
    private readonly connect: () => Redis,
    readonly name: string,
    private readonly onOffer: (placeId: string) => void,
    /** Messages may have been missed: everybody had better ask again. */
    private readonly onResubscribed: () => void,
  ) {}

  private redis: Redis | undefined;

  /** Resolves once subscribed, so that no offer made later is missed. Opens the connection at first need. */
  async open(): Promise<void> {
    this.ready ??= this.subscribe();
    await this.ready;
  }

  close(): void {
    this.redis?.disconnect();
  }

  private async subscribe(): Promise<void> {
    const redis = (this.redis = this.connect());
    redis.on('message', (_channel: string, text: string) =>
      this.onOffer((JSON.parse(text) as OfferMessage).placeId),
    );
    // ioredis subscribes again by itself after a reconnect; the second call tells when that is done.
    redis.on('ready', () => void redis.subscribe(this.name).then(this.onResubscribed, () => undefined));
    await redis.subscribe(this.name);
  }
}

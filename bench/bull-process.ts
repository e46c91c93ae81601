import Bull from 'bull';
import { connectRedis } from '@app/redis';

export interface BullOrder {
  readonly redisUrl: string;
  readonly prefix: string;
  /** The provider's. */
  readonly url: string;
  readonly jobs: number;
  readonly concurrency: number;
}

/** A queue that calls the provider and does nothing else, as one would write it in an afternoon. */
async function main({ redisUrl, prefix, url, jobs, concurrency }: BullOrder): Promise<void> {
  const queue = new Bull<object>('bare', {
    prefix: `${prefix}:{bull}`,
    createClient: () => connectRedis(redisUrl, 'blocking', 'bench-bull'),
  });
  await queue.addBulk(Array.from({ length: jobs }, () => ({ data: {} })));
  let left = jobs;
  await new Promise<void>((resolve, reject) => {
    queue
      .process(concurrency, async () => {
        const answer = await fetch(`${url}/api/chat`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({
            model: 'any',
            messages: [{ role: 'user', content: 'Name a town.' }],
            stream: false,
          }),
        });
        if (!answer.ok) throw new Error(`The provider answered ${answer.status}`);
        await answer.text();
        if ((left -= 1) === 0) resolve();
      })
      .catch(reject);
  });
  await queue.close();
}

main(JSON.parse(process.argv[2] ?? '{}') as BullOrder).then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.exit(1);
  },
);

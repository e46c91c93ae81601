import 'reflect-metadata';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ContenderName, type Contest, openContender } from './contenders';

export interface ContendingOrder extends Contest {
  readonly contender: ContenderName;
  readonly requests: number;
  readonly holdMs: number;
}

/** One of the processes of a contended run: says when it is ready, begins on a word, says when it has ended. */
async function main(order: ContendingOrder): Promise<void> {
  const contender = await openContender(order.contender, order);
  const told = new Promise<void>((resolve) => process.once('message', () => resolve()));
  process.send?.('ready');
  await told;
  const startedAt = process.hrtime.bigint();
  const indices = Array.from({ length: order.requests }, (_, index) => index);
  await Promise.all(indices.map((index) => contender.run(index, () => sleep(order.holdMs))));
  const endedAt = process.hrtime.bigint();
  process.send?.({ startedAt: String(startedAt), endedAt: String(endedAt) });
  await contender.close();
  process.disconnect();
}

main(JSON.parse(process.argv[2] ?? '{}') as ContendingOrder).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(1);
});

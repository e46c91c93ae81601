/**
 * The semaphore alone, in a service that has nothing else of Questline: twelve calls of three teams to a model server
 * that takes two at a time.
 *
 *     REDIS_URL=redis://127.0.0.1:6379 node -r ./test/support/swc-register.cjs docs/examples/slots-only/main.ts
 */
import 'reflect-metadata';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ProviderSlots, ProviderSlotsModule } from '@app/provider-slots';

const MODEL_SERVER = { name: 'llm:ollama:gpu-box:11434', limit: 2 };

@Injectable()
export class Answers {
  private running = 0;
  peak = 0;

  constructor(private readonly slots: ProviderSlots) {}

  /** Waits its turn: outside any request or job, `withSlot` waits in place. */
  async answer(team: string, question: number): Promise<string> {
    const request = { placeId: `${team}-${question}`, group: team, caps: [MODEL_SERVER] };
    return this.slots.withSlot(request, async (lease) => {
      this.running += 1;
      this.peak = Math.max(this.peak, this.running);
      // Here you call the model. Give `lease.signal` along: it aborts if a re-run takes this place over.
      await sleep(100, undefined, { signal: lease.signal });
      this.running -= 1;
      return `${team} got answer ${question}`;
    });
  }
}

@Module({})
export class SlotsOnlyModule {
  static of(redisUrl: string) {
    return {
      module: SlotsOnlyModule,
      imports: [ProviderSlotsModule.forRoot({ url: redisUrl, prefix: 'slots-only' })],
      providers: [Answers],
    };
  }
}

/** Runs the twelve calls and returns the most that ran at once. */
export async function runExample(redisUrl: string, say: (line: string) => void): Promise<number> {
  const app = await NestFactory.createApplicationContext(SlotsOnlyModule.of(redisUrl), { logger: false });
  try {
    const answers = app.get(Answers);
    const teams = ['red', 'red', 'red', 'red', 'red', 'red', 'red', 'red', 'green', 'green', 'blue', 'blue'];
    await Promise.all(teams.map(async (team, question) => say(await answers.answer(team, question))));
    say(`peak ${answers.peak} of cap ${MODEL_SERVER.limit}`);
    return answers.peak;
  } finally {
    await app.close();
  }
}

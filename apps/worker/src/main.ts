import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { readConfig } from '@app/config';
import { WorkerQueues } from '@app/jobs';
import { assertMigrated } from '@app/persistence';
import { configureHttp } from '../../api/src/configure-api';
import { runUntilStopped } from '../../api/src/run-until-stopped';
import { WorkerModule } from './worker.module';

/** A worker on stores and providers that the environment names; `--queues a,b` chooses what it consumes. */
runUntilStopped(async () => {
  const config = readConfig('worker');
  const queues = WorkerQueues.fromArguments(process.argv.slice(2));
  await assertMigrated(config.DATABASE_URL ?? '');
  const app = await NestFactory.create<NestExpressApplication>(WorkerModule.forRoot(config, queues), {
    bufferLogs: true,
    bodyParser: false,
  });
  configureHttp(app);
  await app.listen(config.PORT, config.HOST);
  return app;
});

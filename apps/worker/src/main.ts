import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { readConfig } from '@app/config';
import { assertMigrated } from '@app/persistence';
import { configureHttp } from '../../api/src/configure-api';
import { runUntilStopped } from '../../api/src/run-until-stopped';
import { WorkerModule } from './worker.module';

/** A worker on stores and providers that the environment names. */
runUntilStopped(async () => {
  const config = readConfig('worker');
  await assertMigrated(config.DATABASE_URL ?? '');
  const app = await NestFactory.create<NestExpressApplication>(WorkerModule.forRoot(config), {
    bufferLogs: true,
    bodyParser: false,
  });
  configureHttp(app);
  await app.listen(config.PORT, config.HOST);
  return app;
});

import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { readConfig } from '@app/config';
import { assertMigrated } from '@app/persistence';
import { ApiModule } from './api.module';
import { configureApi } from './configure-api';
import { runUntilStopped } from './run-until-stopped';

/** The API on stores and providers that the environment names. */
runUntilStopped(async () => {
  const config = readConfig('api');
  await assertMigrated(config.DATABASE_URL ?? '');
  const app = await NestFactory.create<NestExpressApplication>(ApiModule.forRoot({ config, emulated: [] }), {
    bufferLogs: true,
    bodyParser: false,
  });
  configureApi(app);
  await app.listen(config.PORT, config.HOST);
  return app;
});

import { writeSync } from 'node:fs';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { readConfig } from '@app/config';
import { ApiModule } from './api.module';
import { buildOpenApi } from './configure-api';

/** Never connected to: a previewed application creates no provider. */
const NOWHERE = {
  DATABASE_URL: 'postgres://nowhere.invalid/questline',
  REDIS_URL: 'redis://nowhere.invalid',
  QB_ADMIN_API_KEY: 'a-key-that-opens-nothing',
  QB_ASR_BASE_URL: 'http://nowhere.invalid',
  QB_LLM_BASE_URL: 'http://nowhere.invalid',
};

/** Prints the OpenAPI document as JSON; needs no store. */
async function main(): Promise<void> {
  const module = ApiModule.forRoot({ config: readConfig('api', NOWHERE), emulated: [] });
  const app = await NestFactory.create<NestExpressApplication>(module, {
    preview: true,
    logger: false,
    abortOnError: false,
  });
  writeSync(1, `${JSON.stringify(buildOpenApi(app), null, 2)}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exit(1);
});

import { runExample } from './slots-only';

// eslint-disable-next-line no-restricted-properties -- an example stands outside our configuration
const redisUrl = process.env['REDIS_URL'];
if (!redisUrl) {
  process.stderr.write('Say where Redis is: REDIS_URL=redis://127.0.0.1:6379\n');
  process.exit(1);
}
void runExample(redisUrl, (line) => process.stdout.write(`${line}\n`));

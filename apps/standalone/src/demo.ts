import { readdir } from 'node:fs/promises';
import { openAsBlob } from 'node:fs';
import { basename, join } from 'node:path';
import { newAdminKey } from './admin-key';
import { DemoClient, type DemoSession } from './demo-client';
import { DemoTable } from './demo-table';
import { onNpmGone } from './embedded/npm-watch';
import { Standalone } from './standalone';

const ASR_CAP = 2;
const LLM_CAP = 1;
const LOOK_EVERY_MS = 400;
const DEADLINE_MS = 170_000;

/** Found from the sources and from the build alike. */
const SAMPLES_FOLDER = join(process.cwd(), 'samples');

/**
 * `npm run demo`: a burst of eight recordings against an ASR cap of 2 and an LLM cap of 1, watched as a user
 * would, over HTTP. The providers are emulated, and the peak is what the emulator saw arrive.
 */
async function main(): Promise<number> {
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  const adminKey = newAdminKey();
  const standalone = await Standalone.start({
    env: {
      ...withoutProviders(process.env),
      PORT: '0',
      QB_ASR_CONCURRENCY_LIMIT: String(ASR_CAP),
      QB_LLM_CONCURRENCY_LIMIT: String(LLM_CAP),
      QB_LOG_LEVEL: 'warn',
    },
    adminKey,
    say,
  });
  const interrupted = new AbortController();
  const onSignal = (): void => interrupted.abort();
  process.once('SIGINT', onSignal);
  process.once('SIGTERM', onSignal);
  onNpmGone(onSignal);
  try {
    say(`Questline is up at ${standalone.url} with its own stores, for this demo alone.`);
    say(`The emulator stands in for ASR and LLM (no model runs): ${standalone.emulatorUrl}`);
    const client = new DemoClient(standalone.url, adminKey, standalone.emulatorUrl ?? '');
    return await runBurst(client, say, interrupted.signal);
  } finally {
    await standalone.stop();
  }
}

async function runBurst(
  client: DemoClient,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<number> {
  const files = (await readdir(SAMPLES_FOLDER)).filter((name) => name.endsWith('.wav')).sort();
  const campaignId = await client.createCampaign('Friday night');
  say(`Uploading ${files.length} recordings at once; the ASR may be given ${ASR_CAP}, the LLM ${LLM_CAP}.\n`);
  const ids = await Promise.all(
    files.map(async (name) =>
      client.upload(campaignId, basename(name, '.wav'), await openAsBlob(join(SAMPLES_FOLDER, name))),
    ),
  );

  const table = new DemoTable(process.stdout);
  const giveUpAt = Date.now() + DEADLINE_MS;
  let sessions: DemoSession[];
  do {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    const [seen, queue] = await Promise.all([
      Promise.all(ids.map((id) => client.getSession(id))),
      client.getQueue(),
    ]);
    sessions = seen;
    table.show(sessions, queue);
  } while (
    !signal.aborted &&
    Date.now() < giveUpAt &&
    sessions.some(({ finished_at }) => finished_at === null)
  );
  return report(client, sessions, say);
}

async function report(
  client: DemoClient,
  sessions: DemoSession[],
  say: (line: string) => void,
): Promise<number> {
  const [peak, queue, usageRows] = await Promise.all([
    client.asrPeak(),
    client.getQueue(),
    client.countUsageRows(),
  ]);
  const completed = sessions.filter(({ status }) => status === 'completed').length;
  const failed = sessions.filter(({ status }) => status === 'failed').length;
  const leases = queue.endpoints.reduce((sum, endpoint) => sum + (endpoint.in_use ?? 0), 0);
  const waiters = queue.endpoints.reduce((sum, endpoint) => sum + (endpoint.waiting ?? 0), 0);
  const [first] = sessions;
  if (first?.recap) say(`\nThe recap of "${first.title}":\n  ${first.recap.trim().replaceAll('\n', '\n  ')}`);
  for (const { title, error } of sessions) if (error) say(`${title}: ${error.code}: ${error.message}`);
  say(`\n${leases} leases and ${waiters} waiters left, ${usageRows} usage rows`);
  say(`${completed} completed, ${failed} failed, peak ${peak} of cap ${ASR_CAP}`);
  const asPromised =
    completed === sessions.length &&
    failed === 0 &&
    peak === ASR_CAP &&
    leases + waiters === 0 &&
    usageRows === completed;
  return asPromised ? 0 : 1;
}

/** The demo is about the emulator, whatever providers or stores the shell is set up for. */
function withoutProviders(env: NodeJS.ProcessEnv): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^(QB_|HOST$|DATABASE_URL$|REDIS_URL$)/.test(name)),
  );
}

main().then(
  (status) => process.exit(status),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);

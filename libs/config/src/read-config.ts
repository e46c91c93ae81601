import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { AppConfig } from './app-config';
import { envVariables } from './env-variable';

/** Which process reads the configuration: standalone fills in what the others must be given. */
export type ProcessRole = 'api' | 'worker' | 'standalone';

const DEFAULT_PORTS: Readonly<Record<ProcessRole, number>> = { api: 3000, worker: 3001, standalone: 3000 };
const REQUIRED_APART_FROM_STANDALONE = ['DATABASE_URL', 'REDIS_URL', 'QB_ADMIN_API_KEY'] as const;
const SHORTEST_ADMIN_KEY = 16;

/** The environment is unusable; the message names every problem and never repeats a value that may be secret. */
export class BadEnvironmentError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`Bad environment:\n  - ${problems.join('\n  - ')}`);
    this.name = 'BadEnvironmentError';
  }
}

/** @throws BadEnvironmentError naming every bad variable at once, so one restart is enough to fix them all. */
export function readConfig(
  role: ProcessRole,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Readonly<AppConfig> {
  const given: Record<string, string> = {};
  for (const { name } of envVariables()) {
    const value = env[name]?.trim();
    if (value) given[name] = value;
  }
  const config = plainToInstance(
    AppConfig,
    { PORT: DEFAULT_PORTS[role], ...(role === 'standalone' ? { HOST: '127.0.0.1' } : {}), ...given },
    { exposeDefaultValues: true },
  );
  const problems = [
    ...validateSync(config, { skipMissingProperties: false }).flatMap((error) =>
      Object.values(error.constraints ?? {}),
    ),
    ...missingFor(role, config),
    ...contradictions(config),
  ];
  if (problems.length > 0) throw new BadEnvironmentError(problems);
  return Object.freeze(config);
}

/** Variables with our prefix that nothing reads: most likely misspelt. */
export function unknownVariables(env: Readonly<Record<string, string | undefined>> = process.env): string[] {
  const known = new Set(envVariables().map((variable) => variable.name));
  return Object.keys(env).filter(
    (name) => name.startsWith('QB_') && !name.startsWith('QB_TEST_') && !known.has(name),
  );
}

function missingFor(role: ProcessRole, config: AppConfig): string[] {
  if (role === 'standalone') return [];
  const missing: string[] = REQUIRED_APART_FROM_STANDALONE.filter((name) => !config[name]);
  if (!config.QB_ASR_BASE_URL && config.QB_ASR_PROVIDER !== 'stub') missing.push('QB_ASR_BASE_URL');
  if (!config.QB_LLM_BASE_URL && config.QB_LLM_PROVIDER !== 'stub') missing.push('QB_LLM_BASE_URL');
  return missing.map((name) => `${name} is required here (npm start fills it in by itself)`);
}

function contradictions(config: AppConfig): string[] {
  const problems: string[] = [];
  if (config.QB_REQUEUE_MAX_MS < config.QB_REQUEUE_MIN_MS) {
    problems.push('QB_REQUEUE_MAX_MS must not be less than QB_REQUEUE_MIN_MS');
  }
  if (config.QB_GENERATION_LEASE_MS <= config.QB_GENERATION_HARD_LIMIT_MS) {
    problems.push(
      'QB_GENERATION_LEASE_MS must exceed QB_GENERATION_HARD_LIMIT_MS, else a slot is given away while its call still runs',
    );
  }
  if (['transcribe', 'summarise'].includes(config.QB_GENERATION_QUEUE)) {
    problems.push('QB_GENERATION_QUEUE must not be transcribe or summarise: those are queues of sessions');
  }
  if (config.QB_STORAGE_URL.startsWith('s3:')) {
    problems.push('QB_STORAGE_URL: s3:// is not supported yet, use file:<folder>');
  }
  if (
    config.REDIS_URL &&
    URL.canParse(config.REDIS_URL) &&
    !['', '/', '/0'].includes(new URL(config.REDIS_URL).pathname)
  ) {
    problems.push('REDIS_URL must name database 0 (QB_REDIS_PREFIX keeps installations apart)');
  }
  if (config.QB_ADMIN_API_KEY && config.QB_ADMIN_API_KEY.length < SHORTEST_ADMIN_KEY) {
    problems.push(`QB_ADMIN_API_KEY must have at least ${SHORTEST_ADMIN_KEY} characters`);
  }
  const generationProvider = config.QB_GENERATION_LLM_PROVIDER;
  if (
    generationProvider &&
    generationProvider !== config.QB_LLM_PROVIDER &&
    generationProvider !== 'stub' &&
    !config.QB_GENERATION_LLM_BASE_URL
  ) {
    problems.push(
      'QB_GENERATION_LLM_PROVIDER differs from QB_LLM_PROVIDER, so QB_GENERATION_LLM_BASE_URL is required',
    );
  }
  return problems;
}

/** For the migration command, which needs nothing else. @throws BadEnvironmentError */
export function readDatabaseUrl(env: Readonly<Record<string, string | undefined>> = process.env): string {
  const url = env.DATABASE_URL?.trim();
  if (!url) throw new BadEnvironmentError(['DATABASE_URL is required']);
  return url;
}

export {
  AppConfig,
  ASR_PROVIDERS,
  LLM_PROVIDERS,
  type AsrProviderName,
  type LlmProviderName,
} from './app-config';
export { AppConfigModule } from './app-config.module';
export { envVariables, type EnvVariable } from './env-variable';
export {
  BadEnvironmentError,
  readConfig,
  readDatabaseUrl,
  unknownVariables,
  type ProcessRole,
} from './read-config';

export { loggingOptions } from './logging';
export { Metrics } from './metrics';
export { ObservabilityModule } from './observability.module';

export { AdminModule } from './admin.module';
export { HealthModule } from './health/health.module';
export { LimitOverrides } from './limit-overrides';
export { MetricsModule } from './metrics/metrics.module';
export { QueueState } from './queue-state';

export { EVERY_TEAM, FLEET_CAP, GenerationLimits, teamCapOf } from './generation-limits';
export { GenerationsHttpModule } from './http/generations-http.module';
export { GenerationsModule } from './generations.module';
export { GenerationsWorkerModule } from './generations-worker.module';

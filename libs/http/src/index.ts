export { ApiProblems, ProblemDto } from './api-problems';
export { ChangeFeed, type ReadStates } from './change-feed';
export { EventStreamsModule } from './event-streams.module';
export { EventStream, EventStreams } from './event-stream';
export { IdParamPipe } from './id-param.pipe';
export { Idempotency, type IdempotencyClaim } from './idempotency';
export { ApiIdempotencyKey, IdempotencyKey, idempotencyKeyOf } from './idempotency-key';
export { IdempotencyModule } from './idempotency.module';
export { PageQueryDto } from './page-query.dto';
export { decodeCursor, toPage, type Page } from './page';
export {
  buildProblem,
  internalProblem,
  problemCodes,
  problemOf,
  retryAfterSeconds,
  statusOfCode,
  titleOfCode,
  type Problem,
} from './problem';
export { abortWithClient } from './request-abort';
export { ProblemFilter } from './problem.filter';
export { StrictValidationPipe } from './strict-validation.pipe';

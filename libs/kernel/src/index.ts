export { AppError } from './app-error';
export { Clock, SystemClock } from './clock';
export { delay } from './delay';
export { isId, newId } from './ids';
export {
  ConflictError,
  ForbiddenError,
  NotFoundError,
  PayloadTooLargeError,
  QueueUnavailableError,
  TooManyRequestsError,
  UnauthorizedError,
  UnsupportedMediaTypeError,
  ValidationFailedError,
  type FieldProblem,
} from './request-errors';
export { Turns } from './turns';

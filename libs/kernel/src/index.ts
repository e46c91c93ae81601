export { AppError } from './app-error';
export { Clock, SystemClock } from './clock';
export { delay } from './delay';
export { isId, newId } from './ids';

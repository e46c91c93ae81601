import { BadSlotRequestError } from './slot-errors';
import type { CapRequest, SlotRequest } from './slot-request';

const CONTROL_CHARACTER = /[\u0000-\u001f\u007f]/;
const MOST_CAPS = 8;
const LONGEST_NAME = 512;
/** Room above the microseconds of today for numbers that a score in Redis still holds exactly. */
const TICKET = /^\d{1,15}$|^[1-8]\d{15}$/;

/** @throws BadSlotRequestError naming the option that is wrong. */
export function checkRequest(request: SlotRequest): void {
  checkName('placeId', request.placeId);
  checkName('group', request.group);
  if (request.caps.length === 0 || request.caps.length > MOST_CAPS) {
    throw new BadSlotRequestError('caps', `must be 1 to ${MOST_CAPS} caps`);
  }
  request.caps.forEach((cap, index) => checkCap(cap, `caps[${index}]`));
  const names = new Set(request.caps.map(({ name }) => name));
  if (names.size < request.caps.length) throw new BadSlotRequestError('caps', 'must not name a cap twice');
  if (request.ticket !== undefined && !TICKET.test(request.ticket)) {
    throw new BadSlotRequestError('ticket', 'must be one that was given out');
  }
  if (request.work !== undefined && !(Number.isFinite(request.work) && request.work >= 0)) {
    throw new BadSlotRequestError('work', 'must be a number ≥ 0');
  }
  checkDuration('expiresInMs', request.expiresInMs, 0);
  checkDuration('leaseMs', request.leaseMs, 1);
}

/** @throws BadSlotRequestError */
export function checkLimit(option: string, limit: number | null): void {
  if (limit !== null && !(Number.isSafeInteger(limit) && limit >= 1)) {
    throw new BadSlotRequestError(option, 'must be an integer ≥ 1, or null');
  }
}

/** @throws BadSlotRequestError */
export function checkName(option: string, name: unknown): void {
  if (typeof name !== 'string' || name === '') throw new BadSlotRequestError(option, 'must not be empty');
  if (name.length > LONGEST_NAME) {
    throw new BadSlotRequestError(option, `must not be longer than ${LONGEST_NAME} characters`);
  }
  if (CONTROL_CHARACTER.test(name))
    throw new BadSlotRequestError(option, 'must not contain control characters');
}

function checkCap(cap: CapRequest, option: string): void {
  checkName(`${option}.name`, cap.name);
  checkLimit(`${option}.limit`, cap.limit);
  for (const [label, value] of Object.entries(cap.labels ?? {})) {
    if (CONTROL_CHARACTER.test(label) || typeof value !== 'string' || CONTROL_CHARACTER.test(value)) {
      throw new BadSlotRequestError(`${option}.labels`, 'must be texts without control characters');
    }
  }
}

function checkDuration(option: string, ms: number | undefined, least: number): void {
  if (ms !== undefined && !(Number.isFinite(ms) && ms >= least)) {
    throw new BadSlotRequestError(option, `must be a number of ms ≥ ${least}`);
  }
}

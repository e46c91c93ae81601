import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { ValidationFailedError } from '@app/kernel';
import type { Request } from 'express';

const KEY_FORM = /^[\x21-\x7e]{1,255}$/;

/** @throws ValidationFailedError for one that is no key */
export function idempotencyKeyOf(request: Pick<Request, 'header'>): string | undefined {
  const key = request.header('idempotency-key');
  if (key === undefined) return undefined;
  if (!KEY_FORM.test(key)) {
    const problem = 'must be 1 to 255 visible ASCII characters without spaces';
    throw new ValidationFailedError([{ field: 'Idempotency-Key', problem }]);
  }
  return key;
}

/** The request's `Idempotency-Key`, or undefined. */
export const IdempotencyKey = createParamDecorator((_: unknown, context: ExecutionContext) =>
  idempotencyKeyOf(context.switchToHttp().getRequest<Request>()),
);

/** Documents that a route takes an `Idempotency-Key`. */
export const ApiIdempotencyKey = (): MethodDecorator & ClassDecorator =>
  ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description:
      'A repetition with the same key and body makes nothing new; with another body it is a conflict',
  });

import { createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { UnauthorizedError } from '@app/kernel';
import type { Principal } from './principal';

export const IS_PUBLIC = 'questline:public';
export const IS_ADMIN_ONLY = 'questline:admin-only';

/** This route needs no key. */
export const Public = (): MethodDecorator & ClassDecorator => SetMetadata(IS_PUBLIC, true);

/** This route is for admin keys alone. */
export const AdminOnly = (): MethodDecorator & ClassDecorator => SetMetadata(IS_ADMIN_ONLY, true);

/** Who asks, as the guard found out. */
export const CurrentPrincipal = createParamDecorator((_: unknown, context: ExecutionContext): Principal => {
  const { principal } = context.switchToHttp().getRequest<{ principal?: Principal }>();
  if (!principal) throw new UnauthorizedError();
  return principal;
});

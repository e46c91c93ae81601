import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ForbiddenError, UnauthorizedError } from '@app/kernel';
import { RequestScope } from '@app/request-scope';
import type { Request } from 'express';
import { IS_ADMIN_ONLY, IS_PUBLIC } from './access.decorators';
import { ApiKeys } from './api-keys';
import type { Principal } from './principal';

/** Lets a route run only for a valid key; every route needs one unless it says `@Public()`. */
@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly apiKeys: ApiKeys,
    private readonly requestScope: RequestScope,
  ) {}

  /** @throws UnauthorizedError, ForbiddenError */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const targets = [context.getHandler(), context.getClass()];
    if (this.reflector.getAllAndOverride<boolean>(IS_PUBLIC, targets)) return true;

    const request = context.switchToHttp().getRequest<Request & { principal?: Principal }>();
    const [scheme, key, ...rest] = (request.header('authorization') ?? '').trim().split(/\s+/);
    if (scheme?.toLowerCase() !== 'bearer' || !key || rest.length > 0) throw new UnauthorizedError();
    const principal = await this.apiKeys.findPrincipal(key);
    if (!principal) throw new UnauthorizedError();
    if (this.reflector.getAllAndOverride<boolean>(IS_ADMIN_ONLY, targets) && principal.role !== 'admin') {
      throw new ForbiddenError();
    }
    request.principal = principal;
    const scope = this.requestScope.current();
    if (scope) scope.teamId = principal.teamId;
    return true;
  }
}

import { Injectable, NestMiddleware } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { requestIdOf } from './request-id';
import { RequestScope } from './request-scope';

/** Gives every request its id and opens its scope before guards, pipes and filters run. */
@Injectable()
export class RequestScopeMiddleware implements NestMiddleware {
  constructor(private readonly requestScope: RequestScope) {}

  use(request: Request & { id?: unknown }, response: Response, next: NextFunction): void {
    const requestId = requestIdOf(request);
    request.id = requestId;
    response.setHeader('X-Request-Id', requestId);
    this.requestScope.run({ kind: 'http', requestId }, () => next());
  }
}

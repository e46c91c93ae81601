import { Injectable, NestMiddleware } from '@nestjs/common';
import { newId } from '@app/kernel';
import type { NextFunction, Request, Response } from 'express';
import { RequestScope } from './request-scope';

const SAFE_REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/** Gives every request its id and opens its scope before guards, pipes and filters run. */
@Injectable()
export class RequestScopeMiddleware implements NestMiddleware {
  constructor(private readonly requestScope: RequestScope) {}

  use(request: Request & { id?: unknown }, response: Response, next: NextFunction): void {
    const presented = request.header('x-request-id');
    const requestId = presented && SAFE_REQUEST_ID.test(presented) ? presented : newId();
    request.id = requestId;
    response.setHeader('X-Request-Id', requestId);
    this.requestScope.run({ kind: 'http', requestId }, () => next());
  }
}

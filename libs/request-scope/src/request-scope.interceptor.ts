import { CallHandler, ExecutionContext, Injectable, NestInterceptor } from '@nestjs/common';
import { Observable } from 'rxjs';
import type { IncomingMessage } from 'node:http';
import { requestIdOf } from './request-id';
import { RequestScope } from './request-scope';

/**
 * Keeps the scope of an HTTP request across everything its handler subscribes to, and opens one where
 * the middleware did not run.
 */
@Injectable()
export class RequestScopeInterceptor implements NestInterceptor {
  constructor(private readonly requestScope: RequestScope) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    if (context.getType() !== 'http') return next.handle();
    const requestId = requestIdOf(context.switchToHttp().getRequest<IncomingMessage>());
    const scope = this.requestScope.current() ?? { kind: 'http', requestId };

    // Subscribing starts the handler, so the subscription itself must happen inside run(). Returning it
    // lets an unsubscribe (the client went away) reach the handler.
    return new Observable((subscriber) =>
      this.requestScope.run(scope, () => next.handle().subscribe(subscriber)),
    );
  }
}

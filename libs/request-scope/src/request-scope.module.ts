import { Global, Module } from '@nestjs/common';
import { RequestScope } from './request-scope';
import { RequestScopeInterceptor } from './request-scope.interceptor';
import { RequestScopeMiddleware } from './request-scope.middleware';

@Global()
@Module({
  providers: [RequestScope, RequestScopeInterceptor, RequestScopeMiddleware],
  exports: [RequestScope, RequestScopeInterceptor, RequestScopeMiddleware],
})
export class RequestScopeModule {}

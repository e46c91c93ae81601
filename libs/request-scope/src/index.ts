export { requestIdOf } from './request-id';
export { newJobScope, RequestScope, type HttpScope, type JobScope, type Scope } from './request-scope';
export { RequestScopeInterceptor } from './request-scope.interceptor';
export { RequestScopeMiddleware } from './request-scope.middleware';
export { RequestScopeModule } from './request-scope.module';

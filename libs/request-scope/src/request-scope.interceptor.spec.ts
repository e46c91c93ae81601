import type { CallHandler, ExecutionContext } from '@nestjs/common';
import { defer, delay, lastValueFrom, map, of, tap } from 'rxjs';
import { RequestScope, RequestScopeInterceptor } from '@app/request-scope';

function setup(type = 'http') {
  const scope = new RequestScope();
  const context = {
    getType: () => type,
    switchToHttp: () => ({ getRequest: () => ({ id: 'request-1', headers: {} }) }),
  } as unknown as ExecutionContext;
  const intercept = <T>(handle: () => ReturnType<CallHandler<T>['handle']>) =>
    new RequestScopeInterceptor(scope).intercept(context, { handle });
  return { scope, intercept };
}

describe('the request scope interceptor', () => {
  it('opens a scope that never waits where the middleware did not run', async () => {
    const { scope, intercept } = setup();
    const seen = await lastValueFrom(intercept(() => defer(() => of(scope.current()))));
    expect(seen).toEqual({ kind: 'http', requestId: 'request-1' });
  });

  it('keeps the scope for operators and for what a stream does later', async () => {
    const { scope, intercept } = setup();
    const kinds: unknown[] = [];
    const later = () =>
      of('event').pipe(
        delay(1),
        tap(() => kinds.push(scope.current()?.kind)),
        map(() => scope.current()?.kind),
      );
    expect(await lastValueFrom(intercept(later))).toBe('http');
    expect(kinds).toEqual(['http']);
  });

  it('keeps the scope that is there already, with what the guard wrote into it', async () => {
    const { scope, intercept } = setup();
    const opened = { kind: 'http' as const, requestId: 'from-the-middleware', teamId: 'team-1' };
    const seen = await scope.run(opened, () =>
      lastValueFrom(intercept(() => defer(() => of(scope.current())))),
    );
    expect(seen).toBe(opened);
  });

  it('leaves what is no HTTP request alone', async () => {
    const { scope, intercept } = setup('rpc');
    expect(await lastValueFrom(intercept(() => defer(() => of(scope.current()))))).toBeUndefined();
  });
});

import { createBullBoard } from '@bull-board/api';
import { BullAdapter } from '@bull-board/api/bullAdapter';
import { ExpressAdapter } from '@bull-board/express';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { JobQueues } from '@app/jobs';
import { ApiKeys } from '@app/teams';
import type { NextFunction, Request, Response } from 'express';

const BASE_PATH = '/queues';

/**
 * Bull Board at /queues for admins: HTTP Basic, any user name, an admin key as the password. It only shows:
 * promoting or removing jobs there would go past rows, places and the ledger.
 */
export function serveQueueBoard(app: NestExpressApplication): void {
  const adapter = new ExpressAdapter();
  adapter.setBasePath(BASE_PATH);
  const queues = app.get(JobQueues).all();
  createBullBoard({
    queues: queues.map((queue) => new BullAdapter(queue, { readOnlyMode: true })),
    serverAdapter: adapter,
    options: { uiConfig: { boardTitle: 'Questline queues' } },
  });
  app.use(BASE_PATH, askForAdminKey(app.get(ApiKeys)), adapter.getRouter());
}

function askForAdminKey(apiKeys: ApiKeys) {
  return (request: Request, response: Response, next: NextFunction): void => {
    const [, encoded = ''] = /^Basic\s+(\S+)$/i.exec(request.header('authorization') ?? '') ?? [];
    const key = Buffer.from(encoded, 'base64').toString('utf8').split(':').slice(1).join(':');
    const principal = key ? apiKeys.findPrincipal(key) : Promise.resolve(undefined);
    principal.then((found) => {
      if (found?.role === 'admin') return next();
      response.setHeader('WWW-Authenticate', 'Basic realm="Questline queues", charset="UTF-8"');
      response.status(401).type('text/plain').send('An admin key is needed as the password\n');
    }, next);
  };
}

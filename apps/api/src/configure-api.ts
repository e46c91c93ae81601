import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { ProblemDto } from '@app/http';
import { requestIdOf } from '@app/request-scope';
import { TranscriptDto } from '@app/sessions';
import helmet from 'helmet';
import { Logger } from 'nestjs-pino';
import { serveConsole } from './console-files';
import { serveQueueBoard } from './queue-board';

/** Largest JSON body: a prompt, never a recording. */
const JSON_LIMIT = '4mb';

/** What every process with an HTTP side needs before it listens. */
export function configureHttp(app: NestExpressApplication): void {
  app.useLogger(app.get(Logger));
  app.disable('x-powered-by');
  app.use(
    helmet({
      // Served over plain HTTP on a home network too, where an upgrade would leave nothing to load.
      contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } },
      strictTransportSecurity: false,
    }),
  );
  // Before the body is read: a body that cannot be read gets a request id too. The scope is opened after it,
  // since reading a body loses what was opened before.
  app.use((request: IncomingMessage & { id?: unknown }, _: ServerResponse, next: () => void) => {
    request.id = requestIdOf(request);
    next();
  });
  app.useBodyParser('json', { limit: JSON_LIMIT });
  // A large recording on a slow line takes longer than Node's five minutes for a whole request.
  app.getHttpServer().requestTimeout = 0;
}

/** The console at `/`, Bull Board at /queues, the API's own document at /docs-json, Swagger UI at /docs. */
export function configureApi(app: NestExpressApplication): void {
  configureHttp(app);
  serveQueueBoard(app);
  serveConsole(app);
  SwaggerModule.setup('docs', app, buildOpenApi(app), {
    jsonDocumentUrl: 'docs-json',
    customSiteTitle: 'Questline API',
    swaggerOptions: { persistAuthorization: false, tryItOutEnabled: true },
  });
}

export function buildOpenApi(app: NestExpressApplication): OpenAPIObject {
  const description = new DocumentBuilder()
    .setTitle('Questline')
    .setDescription(
      'Recordings become transcripts and recaps; a burst costs latency, never failures. Errors are RFC 9457 problem documents.',
    )
    .setVersion('1')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'An API key of a team, or the admin key' })
    .build();
  return SwaggerModule.createDocument(app, description, { extraModels: [ProblemDto, TranscriptDto] });
}

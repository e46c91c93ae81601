import type { IncomingMessage, ServerResponse } from 'node:http';
import { requestIdOf } from '@app/request-scope';
import type { Params } from 'nestjs-pino';

/** Where secrets could stand in anything that is logged; they are replaced, not merely hidden. */
const REDACTED_PATHS = [
  'req.headers.authorization',
  'req.headers.cookie',
  'req.headers["x-api-key"]',
  '*.apiKey',
  '*.authorization',
  '*.password',
  '*.headers',
  'err.request',
  'err.response',
  'err.config',
  'err.parameters',
  'err.query',
  'err.driverError',
];

/** Structured logs on stdout: one line per failed request, none per successful one unless debugging. */
export function loggingOptions(level: string): Params {
  return {
    pinoHttp: {
      level,
      redact: { paths: REDACTED_PATHS, censor: '[redacted]' },
      genReqId: (request: IncomingMessage) => requestIdOf(request),
      customLogLevel: (_request: IncomingMessage, response: ServerResponse) =>
        response.statusCode >= 500 && response.statusCode !== 503 ? 'error' : 'debug',
      serializers: {
        req: (request: { id: unknown; method: string; url: string }) => ({
          id: request.id,
          method: request.method,
          // A key that somebody put into a URL by mistake must not be kept.
          path: request.url.split('?')[0],
        }),
        res: (response: { statusCode: number }) => ({ status: response.statusCode }),
      },
    },
  };
}

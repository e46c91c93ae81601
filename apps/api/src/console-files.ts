import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { NestExpressApplication } from '@nestjs/platform-express';
import express, { type NextFunction, type Request, type Response } from 'express';
import { ErrorPages } from './console-error-pages';

/** What the API itself answers: never the console's, whatever a browser asks for there. */
const NOT_OURS = /^\/(api|docs|docs-json|docs-yaml|health|metrics|queues)(\/|$)/;

/** Paths that the console's own router knows; anything else of ours is its "not found" page, with that status. */
const CLIENT_ROUTES = [
  /^\/$/,
  /^\/campaigns\/[^/]+$/,
  /^\/sessions\/[^/]+$/,
  /^\/usage$/,
  /^\/operator(\/usage|\/teams)?$/,
];

/** Everything from our own origin and nothing inline; the console needs no exception. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const ONE_YEAR_MS = 31_536_000_000;

/** Serves the built console at `/` and a page per error code at `/docs/errors/:code`; neither needs a key. */
export function serveConsole(app: NestExpressApplication, root: string = projectRoot()): void {
  const folder = join(root, 'dist', 'apps', 'console');
  const index = join(folder, 'index.html');
  const errorPages = new ErrorPages(join(root, 'docs', 'errors'));

  app.use(
    '/docs/errors/:code',
    (request: Request<{ code: string }>, response: Response, next: NextFunction) => {
      if (!isReading(request)) return next();
      const page = errorPages.find(request.params.code);
      if (page === undefined) return next();
      protect(response);
      response.setHeader('Cache-Control', 'public, max-age=300');
      response.type('html').send(page);
    },
  );

  // Their names carry a digest of their content, so a name never changes its meaning.
  app.use(
    '/assets',
    protecting,
    express.static(join(folder, 'assets'), { immutable: true, maxAge: ONE_YEAR_MS }),
  );
  app.use(protectingOurs, express.static(folder, { index: false, maxAge: '5m', redirect: false }));

  app.use((request: Request, response: Response, next: NextFunction) => {
    if (!isReading(request) || NOT_OURS.test(request.path)) return next();
    const isKnown = CLIENT_ROUTES.some((route) => route.test(request.path));
    if (!isKnown && request.accepts(['json', 'html']) !== 'html') return next();
    protect(response);
    response.setHeader('Cache-Control', 'no-cache');
    if (!existsSync(index)) {
      response
        .status(503)
        .type('text')
        .send('The console is not built here: npm run build. The API is at /docs.\n');
      return;
    }
    response.status(isKnown ? 200 : 404).sendFile(index, { cacheControl: false });
  });
}

function isReading({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD';
}

function protectingOurs(request: Request, response: Response, next: NextFunction): void {
  // Passing a file of ours by name is `static`'s work; the API's answers keep the headers they have.
  if (NOT_OURS.test(request.path)) return next();
  protecting(request, response, next);
}

function protecting(_: Request, response: Response, next: NextFunction): void {
  protect(response);
  next();
}

function protect(response: Response): void {
  response.setHeader('Content-Security-Policy', CONTENT_SECURITY_POLICY);
  response.setHeader('Referrer-Policy', 'no-referrer');
  response.setHeader('Permissions-Policy', 'camera=(), microphone=(), geolocation=()');
}

/** The folder of package.json above this file, the same for sources and build. */
function projectRoot(): string {
  let folder = __dirname;
  while (!existsSync(join(folder, 'package.json'))) {
    if (folder === dirname(folder)) return process.cwd();
    folder = dirname(folder);
  }
  return folder;
}

import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Logger } from '@nestjs/common';
import { ThrottlerException } from '@nestjs/throttler';
import { AppError } from '@app/kernel';
import { isDatabaseAway, isUnstorableText } from '@app/persistence';
import type { Request, Response } from 'express';
import { buildProblem, internalProblem, problemOf, retryAfterSeconds, type Problem } from './problem';

const CODE_BY_STATUS: Readonly<Record<number, string>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  413: 'payload_too_large',
  415: 'unsupported_media_type',
  422: 'validation_failed',
  429: 'too_many_requests',
};

/** Turns every throw into one problem document. What is not ours is logged and told to nobody. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger(ProblemFilter.name);

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<Request & { id?: unknown }>();
    const response = http.getResponse<Response>();
    const requestId = typeof request.id === 'string' ? request.id : undefined;
    if (response.headersSent || response.destroyed) {
      response.destroy();
      return;
    }
    const problem = this.problemFor(error, requestId);
    const retryAfter = retryAfterSeconds(problem.status, error);
    if (retryAfter !== undefined) response.setHeader('Retry-After', String(retryAfter));
    if (problem.status === 401) response.setHeader('WWW-Authenticate', 'Bearer');
    const body = retryAfter === undefined ? problem : { ...problem, retry_after_seconds: retryAfter };
    response.status(problem.status).type('application/problem+json').send(JSON.stringify(body));
  }

  private problemFor(error: unknown, requestId: string | undefined): Problem {
    if (error instanceof AppError) {
      const problem = problemOf(error, requestId);
      if (problem.code === 'internal_error') this.logger.error(error);
      return problem;
    }
    if (error instanceof ThrottlerException) {
      return buildProblem('too_many_requests', 'This key sent too many requests within a minute', requestId);
    }
    if (isUnstorableText(error)) {
      return buildProblem(
        'validation_failed',
        'A text holds a character that cannot be stored, such as NUL',
        requestId,
      );
    }
    if (isDatabaseAway(error)) {
      return buildProblem('service_unavailable', 'The database cannot be reached at the moment', requestId);
    }
    return this.problemForStatus(error, requestId);
  }

  /** Nest and Express throw errors with a status of their own: unknown routes, unreadable or oversized bodies. */
  private problemForStatus(error: unknown, requestId: string | undefined): Problem {
    const status =
      error instanceof HttpException ? error.getStatus() : (error as { status?: unknown } | null)?.status;
    if (status === 400) {
      return buildProblem('validation_failed', 'The body is not readable as JSON', requestId, {}, 400);
    }
    const code = typeof status === 'number' ? CODE_BY_STATUS[status] : undefined;
    if (code)
      return buildProblem(code, code === 'not_found' ? 'There is no such route' : 'Refused', requestId);
    this.logger.error(error);
    return internalProblem(requestId);
  }
}

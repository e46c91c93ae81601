import { Controller, Get, HttpStatus, Res } from '@nestjs/common';
import { ApiOkResponse, ApiServiceUnavailableResponse, ApiTags } from '@nestjs/swagger';
import { HealthCheckService, type HealthCheckResult, type HealthIndicatorResult } from '@nestjs/terminus';
import { Public } from '@app/teams';
import type { Response } from 'express';
import { ReadinessChecks } from './readiness-checks';

const RESULT_SCHEMA = {
  schema: { example: { status: 'ok', info: {}, error: {}, details: {} } },
};

@ApiTags('health')
@Public()
@Controller('health')
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly checks: ReadinessChecks,
  ) {}

  /** The process answers. Depends on nothing else, so that an outage of a store restarts nobody. */
  @Get('live')
  @ApiOkResponse({ schema: { example: { status: 'ok' } } })
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /** The process can do its work: Redis, Postgres, queue and storage. Answers within 3 s, whatever hangs. */
  @Get('ready')
  @ApiOkResponse(RESULT_SCHEMA)
  @ApiServiceUnavailableResponse(RESULT_SCHEMA)
  async ready(@Res({ passthrough: true }) response: Response): Promise<HealthCheckResult> {
    try {
      return await this.health.check(this.checks.all());
    } catch (error) {
      const result = (error as { response?: unknown }).response;
      if (!isHealthResult(result)) throw error;
      response.status(HttpStatus.SERVICE_UNAVAILABLE).setHeader('Retry-After', '5');
      return result;
    }
  }
}

function isHealthResult(value: unknown): value is HealthCheckResult {
  return typeof (value as { details?: HealthIndicatorResult } | undefined)?.details === 'object';
}

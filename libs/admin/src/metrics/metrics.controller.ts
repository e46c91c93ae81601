import { Controller, Get, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { PrometheusController } from '@willsoto/nestjs-prometheus';
import type { Response } from 'express';
import { register, Registry } from 'prom-client';
import { Metrics } from './metrics';

/** What must be read at the moment somebody looks, since it is kept elsewhere (the slots' state in Redis). */
export abstract class MetricsRefresher {
  /** Never throws: a scrape answers with what is known. */
  abstract refresh(): Promise<void>;
}

/** `GET /metrics`: our own metrics and those of the process. */
@ApiExcludeController()
@Controller()
export class MetricsController extends PrometheusController {
  private readonly refreshers: MetricsRefresher[] = [];

  constructor(private readonly metrics: Metrics) {
    super();
  }

  addRefresher(refresher: MetricsRefresher): void {
    this.refreshers.push(refresher);
  }

  @Get()
  override async index(@Res({ passthrough: true }) response: Response): Promise<string> {
    await Promise.all(this.refreshers.map((refresher) => refresher.refresh()));
    const merged = Registry.merge([register, this.metrics.registry]);
    response.header('Content-Type', merged.contentType);
    return merged.metrics();
  }
}

import { Controller, Get, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Metrics } from '@app/observability';
import { Public } from '@app/teams';
import { PrometheusController } from '@willsoto/nestjs-prometheus';
import type { Response } from 'express';
import { register, Registry } from 'prom-client';
import { SlotGauges } from './slot-gauges';

/** `GET /metrics`: our own metrics and those of the process. */
@ApiExcludeController()
@Public()
@Controller()
export class MetricsController extends PrometheusController {
  constructor(
    private readonly metrics: Metrics,
    private readonly slotGauges: SlotGauges,
  ) {
    super();
  }

  @Get()
  override async index(@Res({ passthrough: true }) response: Response): Promise<string> {
    await this.slotGauges.refresh();
    const merged = Registry.merge([register, this.metrics.registry]);
    response.header('Content-Type', merged.contentType);
    return merged.metrics();
  }
}

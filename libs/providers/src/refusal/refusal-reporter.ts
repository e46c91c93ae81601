import { Logger } from '@nestjs/common';
import type { Metrics } from '@app/observability';
import { ProviderPauseError, type ProviderError } from './provider-errors';
import { isRefusal, type Refusal } from './provider-failure';

/** Makes each send that gave no result visible: refusals in a metric, all of them in the log. */
export class RefusalReporter {
  private readonly logger = new Logger('Providers');

  constructor(private readonly metrics?: Pick<Metrics, 'refusalsTotal'>) {}

  /** @param send number of this send among those of its call, from 1 */
  report(error: ProviderError, send: number): void {
    const { kind, provider } = error;
    const what = error.code.replace(/^provider_/, '') as Refusal;
    if (isRefusal(what)) this.metrics?.refusalsTotal.inc({ kind, provider, refusal: what });
    const pause =
      error instanceof ProviderPauseError ? `; its gate is closed for ${error.retryAfterMs} ms` : '';
    this.logger.warn(`${error.code}: ${error.message}, send ${send}${pause}`);
  }
}

import { type DynamicModule, type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { HealthModule, MetricsModule } from '@app/admin';
import { type AppConfig, AppConfigModule } from '@app/config';
import { ProblemFilter } from '@app/http';
import { GenerationsWorkerModule } from '@app/generations';
import { JobsModule, type WorkerQueues, WorkerQueuesModule } from '@app/jobs';
import { loggingOptions, ObservabilityModule } from '@app/observability';
import { PersistenceModule } from '@app/persistence';
import { RequestScopeMiddleware, RequestScopeModule } from '@app/request-scope';
import { SessionsWorkerModule } from '@app/sessions';
import { LoggerModule } from 'nestjs-pino';
import { WorkerShutdown } from './worker-shutdown';

/** What runs jobs, in whichever process. */
@Module({ imports: [JobsModule, SessionsWorkerModule, GenerationsWorkerModule], providers: [WorkerShutdown] })
export class JobRunnersModule {
  /** @param queues unset: all that this installation posts to */
  static forRoot(queues?: WorkerQueues): DynamicModule {
    return { module: JobRunnersModule, imports: [WorkerQueuesModule.forRoot(queues)] };
  }
}

/** A process that runs jobs and answers nothing but its health and metrics. */
@Module({})
export class WorkerModule implements NestModule {
  static forRoot(config: Readonly<AppConfig>, queues?: WorkerQueues): DynamicModule {
    return {
      module: WorkerModule,
      imports: [
        AppConfigModule.forRoot(config),
        LoggerModule.forRoot(loggingOptions(config.QB_LOG_LEVEL)),
        RequestScopeModule,
        ObservabilityModule,
        PersistenceModule,
        JobRunnersModule.forRoot(queues),
        HealthModule.forRoot([]),
        MetricsModule,
      ],
      providers: [{ provide: APP_FILTER, useClass: ProblemFilter }],
    };
  }

  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(RequestScopeMiddleware).forRoutes('{*path}');
  }
}

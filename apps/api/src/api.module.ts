import { type DynamicModule, type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { AdminModule, HealthModule, MetricsModule } from '@app/admin';
import { type AppConfig, AppConfigModule } from '@app/config';
import { GenerationsHttpModule } from '@app/generations';
import { ProblemFilter, StrictValidationPipe } from '@app/http';
import { JobsModule } from '@app/jobs';
import { loggingOptions, ObservabilityModule } from '@app/observability';
import { PersistenceModule } from '@app/persistence';
import { RequestScopeInterceptor, RequestScopeMiddleware, RequestScopeModule } from '@app/request-scope';
import { SessionsHttpModule } from '@app/sessions';
import { ApiKeyGuard, RateLimitGuard, TeamsModule } from '@app/teams';
import { UsageHttpModule } from '@app/usage';
import { LoggerModule } from 'nestjs-pino';

/** What a process of ours is made of besides its features. */
export interface ProcessOptions {
  readonly config: Readonly<AppConfig>;
  /** Kinds of provider that the emulator stands in for; named in /health/ready. */
  readonly emulated: readonly ('asr' | 'llm')[];
}

/** Everything that answers HTTP. */
@Module({})
export class ApiModule implements NestModule {
  static forRoot({ config, emulated }: ProcessOptions): DynamicModule {
    return {
      module: ApiModule,
      imports: [
        AppConfigModule.forRoot(config),
        LoggerModule.forRoot(loggingOptions(config.QB_LOG_LEVEL)),
        RequestScopeModule,
        ObservabilityModule,
        PersistenceModule,
        JobsModule,
        TeamsModule,
        SessionsHttpModule,
        GenerationsHttpModule,
        UsageHttpModule,
        AdminModule,
        HealthModule.forRoot(emulated),
        MetricsModule,
      ],
      providers: [
        { provide: APP_FILTER, useClass: ProblemFilter },
        { provide: APP_GUARD, useExisting: ApiKeyGuard },
        { provide: APP_GUARD, useExisting: RateLimitGuard },
        { provide: APP_PIPE, useClass: StrictValidationPipe },
        { provide: APP_INTERCEPTOR, useExisting: RequestScopeInterceptor },
      ],
    };
  }

  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(RequestScopeMiddleware).forRoutes('{*path}');
  }
}

import { type DynamicModule, Global, Module } from '@nestjs/common';
import { AppConfig } from './app-config';

/** Hands the frozen configuration to whoever injects `AppConfig`. */
@Global()
@Module({})
export class AppConfigModule {
  static forRoot(config: Readonly<AppConfig>): DynamicModule {
    return {
      module: AppConfigModule,
      providers: [{ provide: AppConfig, useValue: config }],
      exports: [AppConfig],
    };
  }
}

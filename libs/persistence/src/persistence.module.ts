import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AppConfig } from '@app/config';
import { dataSourceOptions } from './data-source';

/** The connection to Postgres, the truth; each feature brings its own entities. */
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      inject: [AppConfig],
      useFactory: (config: AppConfig) => ({
        ...dataSourceOptions(config.DATABASE_URL ?? ''),
        autoLoadEntities: true,
        retryAttempts: 5,
        retryDelay: 1_000,
        verboseRetryLog: false,
      }),
    }),
  ],
})
export class PersistenceModule {}

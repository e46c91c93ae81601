import { Module } from '@nestjs/common';
import { UsageModule } from '../usage.module';
import { UsageController } from './usage.controller';

/** The ledger over HTTP, for the team it is about. */
@Module({ imports: [UsageModule], controllers: [UsageController] })
export class UsageHttpModule {}

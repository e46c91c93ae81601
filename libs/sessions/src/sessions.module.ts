import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { IdempotencyModule } from '@app/http';
import { JobsModule } from '@app/jobs';
import { ProvidersModule } from '@app/providers';
import { StorageModule } from '@app/storage';
import { UsageModule } from '@app/usage';
import { Campaign } from './campaign.entity';
import { Campaigns } from './campaigns';
import { Recap, RecapPart, Transcript } from './checkpoint.entities';
import { SessionEndings } from './session-endings';
import { SessionFeed } from './session-feed';
import { SessionQuestions } from './session-questions';
import { SessionQueue } from './session-queue';
import { SessionStore } from './session-store';
import { SessionWaits } from './session-waits';
import { Session } from './session.entity';
import { Sessions } from './sessions';

/** The rules of campaigns and sessions, for every process. */
@Module({
  imports: [
    TypeOrmModule.forFeature([Campaign, Session, Transcript, RecapPart, Recap]),
    IdempotencyModule,
    JobsModule,
    ProvidersModule,
    StorageModule,
    UsageModule,
  ],
  providers: [
    Campaigns,
    Sessions,
    SessionStore,
    SessionQueue,
    SessionEndings,
    SessionWaits,
    SessionFeed,
    SessionQuestions,
  ],
  exports: [
    Campaigns,
    Sessions,
    SessionStore,
    SessionQueue,
    SessionEndings,
    SessionWaits,
    SessionFeed,
    SessionQuestions,
    JobsModule,
    ProvidersModule,
    StorageModule,
    UsageModule,
  ],
})
export class SessionsModule {}

import { Module } from '@nestjs/common';
import { EventStreamsModule } from '@app/http';
import { SessionsModule } from '../sessions.module';
import { CampaignsController } from './campaigns.controller';
import { SessionEventsController } from './session-events.controller';
import { SessionQuestionsController } from './session-questions.controller';
import { SessionUploadsController } from './session-uploads.controller';
import { SessionsController } from './sessions.controller';

/** Campaigns and sessions over HTTP. */
@Module({
  imports: [SessionsModule, EventStreamsModule],
  controllers: [
    CampaignsController,
    SessionsController,
    SessionQuestionsController,
    SessionUploadsController,
    SessionEventsController,
  ],
})
export class SessionsHttpModule {}

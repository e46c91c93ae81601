import { Module } from '@nestjs/common';
import { SessionsModule } from '../sessions.module';
import { CampaignsController } from './campaigns.controller';
import { SessionQuestionsController } from './session-questions.controller';
import { SessionUploadsController } from './session-uploads.controller';
import { SessionsController } from './sessions.controller';

/** Campaigns and sessions over HTTP. */
@Module({
  imports: [SessionsModule],
  controllers: [
    CampaignsController,
    SessionsController,
    SessionQuestionsController,
    SessionUploadsController,
  ],
})
export class SessionsHttpModule {}

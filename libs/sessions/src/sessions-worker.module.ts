import { Module } from '@nestjs/common';
import { SessionFailureHook } from './session-failure-hook';
import { SessionSummariser } from './session-summariser';
import { SessionTranscriber } from './session-transcriber';
import { SessionsModule } from './sessions.module';
import { SessionRuns } from './session-runs';
import { SummariseProcessor } from './summarise.processor';
import { TranscribeProcessor } from './transcribe.processor';

/** What runs sessions' jobs. */
@Module({
  imports: [SessionsModule],
  providers: [
    SessionTranscriber,
    SessionSummariser,
    SessionFailureHook,
    SessionRuns,
    TranscribeProcessor,
    SummariseProcessor,
  ],
})
export class SessionsWorkerModule {}

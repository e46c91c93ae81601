export { TranscriptDto } from './http/session-answers.dto';
export { SessionsHttpModule } from './http/sessions-http.module';
export { SessionsModule } from './sessions.module';
export { SessionsWorkerModule } from './sessions-worker.module';

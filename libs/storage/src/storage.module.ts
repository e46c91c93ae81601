import { Module } from '@nestjs/common';
import { AppConfig } from '@app/config';
import { RecordingStore } from './recording-store';

@Module({
  providers: [
    {
      provide: RecordingStore,
      inject: [AppConfig],
      useFactory: (config: AppConfig) =>
        new RecordingStore(config.QB_STORAGE_URL, config.QB_UPLOAD_MAX_BYTES),
    },
  ],
  exports: [RecordingStore],
})
export class StorageModule {}

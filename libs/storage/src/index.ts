export { RecordingStore, type StoredRecording } from './recording-store';
export { StorageModule } from './storage.module';

/** Entry `reelkeep/queue`: uploads for web pages, apart from the client so that other programs stay small. */
export { fingerprintOf } from './fingerprint.ts'
export { indexedDbStorage } from './indexed-db-storage.ts'
export type { QueueClient } from './runner.ts'
export { type QueueOptions, UploadQueue } from './upload-queue.ts'
export {
  type FileHandle,
  hasEnded,
  isUnderWay,
  type NewUpload,
  type QueuedUpload,
  type QueueError,
  type QueueStorage,
  type UploadState,
} from './uploads.ts'

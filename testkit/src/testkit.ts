export { ApiProcess } from './api-process.ts'
export { type Answer, Caller, type Method, type Received, type Send } from './caller.ts'
export { type Ran, runHere } from './command-here.ts'
export { Edge } from './edge.ts'
export { EventFeed, type FeedMessage, type FeedWish } from './event-feed.ts'
export { freePort } from './free-port.ts'
export { partsOnly, withoutFormsAndVersions } from './lesser-storage.ts'
export { openLineTo } from './line-to.ts'
export { Nginx } from './nginx.ts'
export { Objects } from './objects.ts'
export { OwnPostgres } from './own-postgres.ts'
export { PacedPost } from './paced-post.ts'
export { PlaybackStage } from './playback-stage.ts'
export { probedAsset } from './probed-asset.ts'
export {
  type NewPart,
  Publisher,
  type TrackPlan,
  type VideoPlace,
  type VideoPlan,
} from './published-video.ts'
export {
  assetPagePicture,
  commandEnvironment,
  judged,
  randomRun,
  root,
  wantedFilms,
} from './settings.ts'
export { type SpekeAnswer, SpekeProvider } from './speke-provider.ts'
export { type Spoil, SpoilingRelay, type WholeAnswer, type WholeRequest } from './spoiling-relay.ts'
export {
  migrate,
  resetDatabase,
  type StackEnv,
  stackEnv,
  startStack,
  startStackNamed,
  wipeStackNamed,
  withDatabase,
} from './stack.ts'
export { setUpUploads, storageOf } from './storage.ts'
export { StorageRelay, type StorageRequest } from './storage-relay.ts'
export { Superuser } from './superuser.ts'
export { openSession, postForm, uploadAsset } from './upload.ts'
export {
  altered,
  type Form,
  type FormField,
  formOf,
  postByCurl,
  postByFetch,
  type StorageAnswer,
} from './upload-form.ts'
export { UploadStage } from './upload-stage.ts'
export { quickWorker, WorkerProcess } from './worker-process.ts'
export { newOrganization, openDatabase, openOwner, World } from './world.ts'

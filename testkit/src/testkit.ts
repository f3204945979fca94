export { type ApiResponse, Caller, type HttpResponse, type Method, type Send } from './caller.ts'
export { EmbeddingsModel } from './embeddings/embeddings-model.ts'
export { EventFeed, type FeedMessage, type FeedOptions } from './event-feed.ts'
export { type Member, type MemberOptions, newMember, newSession } from './member.ts'
export { fastHashing, type LocalAccount, newAccount, newBrowser } from './people/local-account.ts'
export { SoftwarePasskey } from './people/software-passkey.ts'
export { TestBrowser } from './people/test-browser.ts'
export { poll } from './poll.ts'
export { ApiProcess } from './processes/api-process.ts'
export { startEdge } from './processes/edge.ts'
export { freePort } from './processes/free-port.ts'
export { type CommandResult, runInProcess } from './processes/in-process-command.ts'
export { Nginx, nginxConf } from './processes/nginx.ts'
export { OwnPostgres } from './processes/own-postgres.ts'
export { programOf } from './processes/service-process.ts'
export {
  migrate,
  resetDatabase,
  runStack,
  type Stack,
  type StackEnv,
  stackBeside,
  stackEnv,
  startStack,
  withDatabase,
} from './processes/stack.ts'
export { stopChild } from './processes/stop-child.ts'
export { fastWorkerSettings, WorkerProcess } from './processes/worker-process.ts'
export { type Action, latency, type Rule, resetPeer, timeout } from './proxy/fault-proxy.ts'
export {
  changeResponse,
  type Exchange,
  HttpProxy,
  type ProxyRequest,
  type ProxyResponse,
  respond,
} from './proxy/http-proxy.ts'
export { afterUpstreamBytes, type Chunk, TcpProxy } from './proxy/tcp-proxy.ts'
export { assetPageScreenshot, commandEnvironment, externalService, filmSelection, randomRun, root } from './settings.ts'
export { Objects } from './storage/objects.ts'
export { PacedPost } from './storage/paced-post.ts'
export { partsOnly, partsOnlyRule, setUpUploads, storageOf } from './storage/storage.ts'
export { openSession, postForm, uploadAsset } from './storage/upload.ts'
export {
  type Form,
  type FormField,
  formOf,
  postByCurl,
  postByFetch,
  type StorageResponse,
  withFields,
} from './storage/upload-form.ts'
export { Superuser } from './superuser.ts'
export { newCaller, newOrganization, openDatabase, openOwner, TestApi } from './test-api.ts'
export { assetToken } from './videos/asset-token.ts'
export { PlaybackFixture } from './videos/playback-fixture.ts'
export { probedAsset } from './videos/probed-asset.ts'
export { processAsset } from './videos/processed-asset.ts'
export { type NewPart, Publisher, type TrackPlan, type VideoPlan, type VideoRef } from './videos/published-video.ts'
export { shortPlan } from './videos/short-plan.ts'
export { SpekeProvider, type SpekeResponse } from './videos/speke-provider.ts'
export { openUploadFixture } from './videos/upload-fixture.ts'

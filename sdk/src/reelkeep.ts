import { callerFor } from './http/call.ts'
import type { Settings } from './http/settings.ts'
import { accessTokens } from './nouns/access-tokens.ts'
import { assets } from './nouns/assets.ts'
import { chapters } from './nouns/chapters.ts'
import { events } from './nouns/events.ts'
import { folders } from './nouns/folders.ts'
import { signingKeys } from './nouns/signing-keys.ts'
import { subtitles } from './nouns/subtitles.ts'
import { tokens } from './nouns/tokens.ts'
import { uploadSessions } from './nouns/upload-sessions.ts'
import { uploads } from './nouns/uploads.ts'
import { webhookDeliveries } from './nouns/webhook-deliveries.ts'
import { webhooks } from './nouns/webhooks.ts'

/** A client of one organization. */
export class Reelkeep {
  readonly uploads: ReturnType<typeof uploads>
  readonly uploadSessions: ReturnType<typeof uploadSessions>
  readonly assets: ReturnType<typeof assets>
  readonly chapters: ReturnType<typeof chapters>
  readonly subtitles: ReturnType<typeof subtitles>
  readonly accessTokens: ReturnType<typeof accessTokens>
  readonly signingKeys: ReturnType<typeof signingKeys>
  readonly events: ReturnType<typeof events>
  readonly webhooks: ReturnType<typeof webhooks>
  readonly webhookDeliveries: ReturnType<typeof webhookDeliveries>
  readonly folders: ReturnType<typeof folders>
  readonly tokens: ReturnType<typeof tokens>

  constructor(settings: Settings = {}) {
    const caller = callerFor(settings)
    this.uploads = uploads(caller, settings)
    this.uploadSessions = uploadSessions(caller)
    this.assets = assets(caller)
    this.chapters = chapters(caller)
    this.subtitles = subtitles(caller)
    this.accessTokens = accessTokens(caller)
    this.signingKeys = signingKeys(caller)
    this.events = events(caller)
    this.webhooks = webhooks(caller)
    this.webhookDeliveries = webhookDeliveries(caller)
    this.folders = folders(caller)
    this.tokens = tokens(caller)
  }
}

export type { ProgressEvent, ReelkeepEvent } from './following/event.ts'
export type { EventLog, EventPage } from './following/log.ts'
export type { StreamOptions } from './following/stream.ts'
export type { WaitOptions } from './following/wait.ts'
export type * from './generated/contract.ts'
export {
  ApiError,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  type FieldFault,
  GoneError,
  InvalidRequestError,
  NotFoundError,
  PermissionError,
  ProcessingError,
  RateLimitError,
  ReelkeepError,
  ServerError,
  SignatureError,
  TimeoutError,
  WaitTimeoutError,
} from './http/errors.ts'
export type { List, Page } from './http/list.ts'
export { isPassing } from './http/pauses.ts'
export type { CallOptions, Settings, UnkeyedOptions } from './http/settings.ts'
export { FileChangedError, FileError, StorageError } from './uploads/errors.ts'
export type {
  ResumeOptions,
  UploadFile,
  UploadOptions,
  UploadPause,
  UploadProgress,
  UploadWish,
} from './uploads/options.ts'
export { titleOf, titleOfFile } from './uploads/titles.ts'
export { type VerifyOptions, verifyWebhook } from './webhooks/verify.ts'

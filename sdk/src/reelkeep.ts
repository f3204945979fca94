import { callerFor } from './http/call.ts'
import type { Settings } from './http/settings.ts'
import { accessTokens } from './resources/access-tokens.ts'
import { assets } from './resources/assets.ts'
import { chapters } from './resources/chapters.ts'
import { events } from './resources/events.ts'
import { folders } from './resources/folders.ts'
import { bulkOperations } from './resources/library/bulk-operations.ts'
import { clips } from './resources/library/clips.ts'
import { covers } from './resources/library/covers.ts'
import { downloads } from './resources/library/downloads.ts'
import { organization } from './resources/library/organization.ts'
import { search } from './resources/library/search.ts'
import { trash } from './resources/library/trash.ts'
import { usage } from './resources/library/usage.ts'
import { versions } from './resources/library/versions.ts'
import { audit } from './resources/people/audit.ts'
import { invitations } from './resources/people/invitations.ts'
import { members } from './resources/people/members.ts'
import { roles } from './resources/people/roles.ts'
import { signingKeys } from './resources/signing-keys.ts'
import { subtitles } from './resources/subtitles.ts'
import { tokens } from './resources/tokens.ts'
import { uploadSessions } from './resources/upload-sessions.ts'
import { uploads } from './resources/uploads.ts'
import { webhookDeliveries } from './resources/webhook-deliveries.ts'
import { webhooks } from './resources/webhooks.ts'

/** API client for one organization. */
export class Reelkeep {
  readonly uploads: ReturnType<typeof uploads>
  readonly uploadSessions: ReturnType<typeof uploadSessions>
  readonly assets: ReturnType<typeof assets>
  readonly clips: ReturnType<typeof clips>
  readonly covers: ReturnType<typeof covers>
  readonly downloads: ReturnType<typeof downloads>
  readonly chapters: ReturnType<typeof chapters>
  readonly subtitles: ReturnType<typeof subtitles>
  readonly accessTokens: ReturnType<typeof accessTokens>
  readonly signingKeys: ReturnType<typeof signingKeys>
  readonly events: ReturnType<typeof events>
  readonly webhooks: ReturnType<typeof webhooks>
  readonly webhookDeliveries: ReturnType<typeof webhookDeliveries>
  readonly folders: ReturnType<typeof folders>
  readonly search: ReturnType<typeof search>
  readonly trash: ReturnType<typeof trash>
  readonly bulkOperations: ReturnType<typeof bulkOperations>
  readonly versions: ReturnType<typeof versions>
  readonly tokens: ReturnType<typeof tokens>
  readonly members: ReturnType<typeof members>
  readonly invitations: ReturnType<typeof invitations>
  readonly roles: ReturnType<typeof roles>
  readonly audit: ReturnType<typeof audit>
  readonly organization: ReturnType<typeof organization>
  readonly usage: ReturnType<typeof usage>

  constructor(settings: Settings = {}) {
    const caller = callerFor(settings)
    this.uploads = uploads(caller, settings)
    this.uploadSessions = uploadSessions(caller)
    this.assets = assets(caller)
    this.clips = clips(caller)
    this.covers = covers(caller)
    this.downloads = downloads(caller)
    this.chapters = chapters(caller)
    this.subtitles = subtitles(caller)
    this.accessTokens = accessTokens(caller)
    this.signingKeys = signingKeys(caller)
    this.events = events(caller)
    this.webhooks = webhooks(caller)
    this.webhookDeliveries = webhookDeliveries(caller)
    this.folders = folders(caller)
    this.search = search(caller)
    this.trash = trash(caller)
    this.bulkOperations = bulkOperations(caller)
    this.versions = versions(caller, settings)
    this.tokens = tokens(caller)
    this.members = members(caller)
    this.invitations = invitations(caller)
    this.roles = roles(caller)
    this.audit = audit(caller)
    this.organization = organization(caller)
    this.usage = usage(caller)
  }
}

export type * from './generated/contract.ts'
export { eventTypes } from './generated/contract.ts'
export {
  ApiError,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  type FieldError,
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
export { isTemporary } from './http/retry.ts'
export type { CallOptions, Settings, UnkeyedOptions } from './http/settings.ts'
export type { BulkWaitOptions } from './resources/library/bulk-operations.ts'
export type { ProgressEvent, ReelkeepEvent } from './streaming/event.ts'
export type { EventLog, EventPage } from './streaming/event-log.ts'
export type { StreamOptions } from './streaming/stream.ts'
export type { WaitOptions } from './streaming/wait.ts'
export { FileChangedError, FileError, StorageError } from './uploads/errors.ts'
export type {
  ResumeOptions,
  UploadFile,
  UploadInput,
  UploadOptions,
  UploadPause,
  UploadProgress,
  VersionUploadOptions,
} from './uploads/options.ts'
export { titleOf, titleOfFile } from './uploads/titles.ts'
export { type VerifyOptions, verifyWebhook } from './webhooks/verify.ts'

export * as accessTokens from './access/access-tokens.ts'
export * as audit from './access/audit.ts'
export * as signingKeys from './access/signing-keys.ts'
export * as tokens from './access/tokens.ts'
export * as bulkOperations from './bulk/bulk-operations.ts'
export { type ErrorCode, type ErrorEntry, errorCatalogue, errorCodes, type Problem, problemSchema } from './errors.ts'
export * as events from './events/events.ts'
export * as webhookDeliveries from './events/webhook-deliveries.ts'
export * as webhooks from './events/webhooks.ts'
export { type FailureCode, failureCatalogue } from './failures.ts'
export { type Creator, KNOWN_VALUES, METADATA_KEYS_MAX, TAGS_MAX } from './fields.ts'
export * as assetLists from './library/asset-lists.ts'
export * as assets from './library/assets.ts'
export * as folders from './library/folders.ts'
export * as organization from './library/organization.ts'
export * as search from './library/search.ts'
export * as trash from './library/trash.ts'
export * as usage from './library/usage.ts'
export * as clips from './media/clips.ts'
export * as covers from './media/covers.ts'
export * as downloads from './media/downloads.ts'
export * as frames from './media/frames.ts'
export { toOpenApi } from './openapi.ts'
export {
  type AnyOperation,
  API_PREFIX,
  type BodyOf,
  commonErrorCodes,
  errorCodesOf,
  type FileResponse,
  type HeadersOf,
  isRepeatable,
  type Operation,
  type ParamsOf,
  type QueryOf,
  type ResponseOf,
  type StreamClient,
  type StreamResponse,
} from './operation.ts'
export { operations } from './operations.ts'
export { COUNT_MAX, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX, type Page } from './page.ts'
export * as invitations from './people/invitations.ts'
export * as members from './people/members.ts'
export * as roles from './people/roles.ts'
export { includesScope, type Scope, scopes } from './scopes.ts'
export * as chapters from './tracks/chapters.ts'
export * as subtitles from './tracks/subtitles.ts'
export * as uploadSessions from './uploads/upload-sessions.ts'
export * as versions from './uploads/versions.ts'

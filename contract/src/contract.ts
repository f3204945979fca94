export * as accessTokens from './access-tokens.ts'
export * as assets from './assets.ts'
export * as chapters from './chapters.ts'
export {
  type ErrorCode,
  type ErrorEntry,
  errorCatalogue,
  errorCodes,
  type Problem,
  problemSchema,
} from './errors.ts'
export * as events from './events.ts'
export { type FailureCode, failureCatalogue } from './failures.ts'
export { KNOWN_VALUES } from './fields.ts'
export * as folders from './folders.ts'
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
export { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX, type Page } from './page.ts'
export { type Scope, scopes } from './scopes.ts'
export * as signingKeys from './signing-keys.ts'
export * as subtitles from './subtitles.ts'
export * as tokens from './tokens.ts'
export * as uploadSessions from './upload-sessions.ts'
export * as webhookDeliveries from './webhook-deliveries.ts'
export * as webhooks from './webhooks.ts'

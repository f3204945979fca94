import type { Static, TSchema } from 'typebox'
import type { ErrorCode } from './errors.ts'
import type { Scope } from './scopes.ts'

/** Base path of every operation. */
export const API_PREFIX = '/api/v1/:organization_id'

/**
 * Definition of one HTTP operation. The server registers it, the SDK calls it and the OpenAPI
 * document is generated from it, so the three cannot drift apart.
 */
export type Operation<
  Params extends TSchema = TSchema,
  Query extends TSchema = TSchema,
  Body extends TSchema | undefined = TSchema | undefined,
  ResponseBody extends TSchema | undefined = TSchema | undefined,
  Errors extends readonly ErrorCode[] = readonly ErrorCode[],
> = {
  readonly id: string
  readonly tag: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path of the operation, relative to API_PREFIX. Always ends with a slash. */
  readonly path: `/${string}/`
  readonly summary: string
  readonly description: string
  /** Scopes that the token must have; empty if any valid token is accepted. */
  readonly scopes: readonly Exclude<Scope, '*'>[]
  /** Also accepts the upload token of the session in the path. */
  readonly acceptsUploadToken?: true
  readonly params: Params
  readonly query: Query
  /** Request headers specific to this operation. */
  readonly headers?: TSchema
  readonly body: Body
  /** The field `resolutions` of the body is required unless the organization has default resolutions. */
  readonly hasDefaultResolutions?: true
  /** Maximum size of the request body; if absent, the server's default applies. */
  readonly bodyBytesMax?: number
  readonly success: {
    readonly status: 200 | 201 | 204
    readonly body: ResponseBody
    /** The response is a file of one of these types instead of JSON; `body` describes its text. */
    readonly mediaTypes?: readonly [string, ...string[]]
    /** The response has an `ETag`. An operation that accepts it in `If-Match` has the headers `ifMatch`. */
    readonly hasEntityTag?: true
    /** The response is a stream that stays open; `body` describes its text. */
    readonly isStream?: true
  }
  /** Accepts `Idempotency-Key`: a repeated request returns the first response and has no further effect. */
  readonly idempotent: boolean
  /**
   * Set for a POST without `Idempotency-Key` whose operation is idempotent by itself, so that a client may retry it
   * after losing the response. Other methods are idempotent by definition of HTTP.
   */
  readonly repeatable?: true
  /** The response contains a secret shown only once; its stored copy is encrypted for the caller's token or session. */
  readonly secretResponse?: true
  /** Members must have signed in within the last ten minutes. */
  readonly needsRecentSignIn?: true
  /** A read that is recorded in the audit log, such as an export. Requests of other methods always are. */
  readonly recordsRead?: true
  /** Concerns the whole organization, so principals that are limited to a part of it are refused. */
  readonly isOrganizationWide?: true
  /** Error codes in addition to the common ones. */
  readonly errors: Errors
}

// biome-ignore lint/suspicious/noExplicitAny: the only way to accept any type parameters.
export type AnyOperation = Operation<any, any, any, any, readonly ErrorCode[]>

export type ParamsOf<Op extends AnyOperation> = Static<Op['params']>
export type QueryOf<Op extends AnyOperation> = Static<Op['query']>
export type BodyOf<Op extends AnyOperation> = Op['body'] extends TSchema ? Static<Op['body']> : undefined
export type HeadersOf<Op extends AnyOperation> = Op['headers'] extends TSchema
  ? Static<Op['headers']>
  : Record<never, never>
export type ResponseOf<Op extends AnyOperation> = Op['success'] extends { readonly isStream: true }
  ? StreamResponse
  : Op['success'] extends { readonly mediaTypes: readonly string[] }
    ? FileResponse<Op['success']['mediaTypes'][number]>
    : JsonResponseOf<Op>

/** A streaming text response. */
export type StreamResponse = {
  readonly open: (client: StreamClient) => AsyncIterable<string>
  /** Time after which a client that reads nothing is disconnected. */
  readonly stallSecondsMax: number
}

/** The client that receives a stream. */
export type StreamClient = {
  /** Aborted when the client disconnects. */
  readonly disconnected: AbortSignal
  /** Closes the connection immediately, discarding unsent data. */
  readonly disconnect: () => void
}

/** A UTF-8 text file to download under the given name. */
export type FileResponse<MediaType extends string = string> = {
  readonly mediaType: MediaType
  readonly fileName: string
  readonly text: string
}

type JsonResponseOf<Op extends AnyOperation> = Op['success']['body'] extends TSchema
  ? Static<Op['success']['body']>
  : // biome-ignore lint/suspicious/noConfusingVoidType: a handler without a response body returns void.
    void

/** Whether a client may safely retry the operation after losing the response. */
export const isRepeatable = ({ method, idempotent, repeatable }: AnyOperation): boolean =>
  method !== 'POST' || idempotent || repeatable === true

/** Error codes that every operation can return. */
export const commonErrorCodes = [
  'invalid_request',
  'unknown_field',
  'unauthenticated',
  'insufficient_scope',
  'organization_not_found',
  'rate_limited',
  'internal_error',
  'unavailable',
] as const satisfies readonly ErrorCode[]

/** Error codes of requests that change something. */
const writeErrorCodes = [
  'cross_site_request',
  'malformed_json',
  'body_too_large',
  'unsupported_media_type',
] as const satisfies readonly ErrorCode[]

/** Error codes of operations that accept `Idempotency-Key`. */
const idempotencyErrorCodes = [
  'invalid_idempotency_key',
  'idempotency_key_reused',
  'idempotency_key_in_use',
] as const satisfies readonly ErrorCode[]

/** Every error code this operation can return. */
export function errorCodesOf(operation: AnyOperation): readonly ErrorCode[] {
  return [
    ...operation.errors,
    ...commonErrorCodes,
    ...(operation.method === 'GET' ? [] : writeErrorCodes),
    ...(operation.idempotent ? idempotencyErrorCodes : []),
    ...(operation.needsRecentSignIn ? (['recent_sign_in_required'] as const) : []),
    ...(operation.isOrganizationWide ? (['outside_folder'] as const) : []),
  ]
}

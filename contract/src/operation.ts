import type { Static, TSchema } from 'typebox'
import type { ErrorCode } from './errors.ts'
import type { Scope } from './scopes.ts'

/** Every operation's path is relative to this. */
export const API_PREFIX = '/api/v1/:organization_id'

/**
 * One HTTP operation of the API, described once. The server registers it, the SDK calls it and the
 * OpenAPI document is generated from it, so the three cannot drift apart.
 */
export type Operation<
  Params extends TSchema = TSchema,
  Query extends TSchema = TSchema,
  Body extends TSchema | undefined = TSchema | undefined,
  Answer extends TSchema | undefined = TSchema | undefined,
  Errors extends readonly ErrorCode[] = readonly ErrorCode[],
> = {
  readonly id: string
  readonly tag: string
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Relative to API_PREFIX. Always ends with a slash. */
  readonly path: `/${string}/`
  readonly summary: string
  readonly description: string
  /** What the caller's token must allow; null when any valid token will do. */
  readonly scope: Exclude<Scope, '*'> | null
  readonly params: Params
  readonly query: Query
  /** Headers that it reads besides those that every operation does. */
  readonly headers?: TSchema
  readonly body: Body
  /** How large the body may be, as it is sent; absent: as large as any. */
  readonly bodyBytesMax?: number
  readonly success: {
    readonly status: 200 | 201 | 204
    readonly body: Answer
    /** The answer is a file of one of these types instead of JSON; `body` tells what its text is. */
    readonly mediaTypes?: readonly [string, ...string[]]
    /** The answer of that type goes on for as long as somebody listens; `body` tells what its text is made of. */
    readonly isStream?: true
  }
  /** Accepts `Idempotency-Key`: repeating the request repeats the answer, not the effect. */
  readonly idempotent: boolean
  /**
   * Of a POST without such a key: doing it twice is the same as doing it once, so whoever lost its
   * answer may repeat it. Of other methods HTTP says so.
   */
  readonly repeatable?: true
  /** The answer holds a secret that is shown once; a saved copy is sealed with the caller's token. */
  readonly secretAnswer?: true
  /** Codes this operation adds to the ones every operation may answer. */
  readonly errors: Errors
}

// biome-ignore lint/suspicious/noExplicitAny: the only way to say "whatever its type parameters".
export type AnyOperation = Operation<any, any, any, any, readonly ErrorCode[]>

export type ParamsOf<Op extends AnyOperation> = Static<Op['params']>
export type QueryOf<Op extends AnyOperation> = Static<Op['query']>
export type BodyOf<Op extends AnyOperation> = Op['body'] extends TSchema
  ? Static<Op['body']>
  : undefined
export type HeadersOf<Op extends AnyOperation> = Op['headers'] extends TSchema
  ? Static<Op['headers']>
  : Record<never, never>
export type AnswerOf<Op extends AnyOperation> = Op['success'] extends { readonly isStream: true }
  ? StreamAnswer
  : Op['success'] extends { readonly mediaTypes: readonly string[] }
    ? FileAnswer<Op['success']['mediaTypes'][number]>
    : JsonAnswerOf<Op>

/** A text that goes on. */
export type StreamAnswer = {
  readonly open: (line: Line) => AsyncIterable<string>
  /** Who takes nothing of it for so long is hung up on. */
  readonly stallSecondsMax: number
}

/** To who listens. */
export type Line = {
  /** Aborted when nobody listens any more. */
  readonly gone: AbortSignal
  /** Ends it at once, whatever has not been taken. */
  readonly hangUp: () => void
}

/** A text of UTF-8 to be saved under this name. */
export type FileAnswer<MediaType extends string = string> = {
  readonly mediaType: MediaType
  readonly fileName: string
  readonly text: string
}

type JsonAnswerOf<Op extends AnyOperation> = Op['success']['body'] extends TSchema
  ? Static<Op['success']['body']>
  : // biome-ignore lint/suspicious/noConfusingVoidType: a handler that answers nothing returns void.
    void

/** Whether a client that has lost the answer may ask again without doing it twice. */
export const isRepeatable = ({ method, idempotent, repeatable }: AnyOperation): boolean =>
  method !== 'POST' || idempotent || repeatable === true

/** Codes any operation may answer, each for a reason that has nothing to do with what it does. */
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

/** Codes that come with a body, also where none belongs. */
const bodyErrorCodes = [
  'malformed_json',
  'body_too_large',
  'unsupported_media_type',
] as const satisfies readonly ErrorCode[]

/** Codes that come with an `Idempotency-Key`. */
const idempotencyErrorCodes = [
  'invalid_idempotency_key',
  'idempotency_key_reused',
  'idempotency_key_in_use',
] as const satisfies readonly ErrorCode[]

/** Every code this operation can answer. */
export function errorCodesOf(operation: AnyOperation): readonly ErrorCode[] {
  return [
    ...operation.errors,
    ...commonErrorCodes,
    ...(operation.method === 'GET' ? [] : bodyErrorCodes),
    ...(operation.idempotent ? idempotencyErrorCodes : []),
  ]
}

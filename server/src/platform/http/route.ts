import type { BodyOf, FileResponse, HeadersOf, ParamsOf, QueryOf, ResponseOf, StreamResponse } from '@reelkeep/contract'
import { type AnyOperation, API_PREFIX, errorCatalogue } from '@reelkeep/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { refused } from '../../kernel/errors.ts'
import type { AssetId, OrganizationId } from '../../kernel/ids.ts'
import type { ChangeRecord } from '../db/change-record.ts'
import type { OrganizationDb } from '../db/database.ts'
import { secretOf } from './access/authenticate.ts'
import { assertRecentSignIn, assertScope, type Principal } from './access/principal.ts'
import type { RequestLimits } from './access/rate-limits/request-limits.ts'
import type { RequestAudit } from './access/request-audit.ts'
import {
  assertIdempotencyKey,
  type IdempotentRequest,
  type IdempotentResult,
  runIdempotent,
  runIdempotentPrepared,
} from './idempotency/idempotency.ts'
import { type Prepared, rollBackOnDomainError } from './idempotency/prepared.ts'
import type { ListUrl } from './page.ts'
import { entityTagOf } from './responses/entity-tag.ts'
import { sendStream } from './streaming.ts'
import { checkBody, checkQuery, invalidParameterFinder, readHeaders } from './validation.ts'

/** Returns the base URL for playback of an asset. */
export type PlaybackBase = (asset: { readonly organizationId: OrganizationId; readonly id: AssetId }) => string

/** Dependencies of `route`. */
export type Api = {
  readonly http: FastifyInstance
  readonly publicUrl: string
  readonly playbackBaseFor: (principal: Principal) => PlaybackBase
  /** Throws unless the request has a valid token or session for the organization in its path. */
  readonly authenticate: (request: FastifyRequest, reply: FastifyReply) => Promise<Principal>
  readonly limits: RequestLimits
  /** Returns the handle for the rows that the principal can see; its first change also writes the record. */
  readonly databaseFor: (principal: Principal, record: ChangeRecord | undefined) => OrganizationDb
  readonly audit: RequestAudit
}

/** An authenticated and validated request. */
export type Call<Op extends AnyOperation> = {
  readonly principal: Principal
  readonly db: OrganizationDb
  readonly params: ParamsOf<Op>
  readonly query: QueryOf<Op>
  readonly headers: HeadersOf<Op>
  readonly body: BodyOf<Op>
  readonly playbackBase: PlaybackBase
  /** URL of the request, for the `next` and `previous` URLs of a list. */
  readonly listUrl: ListUrl
  /** Sets the asset for log lines, if it is not in the path. */
  readonly setSubject: (assetId: AssetId) => void
  /** Sets the `ETag` of the response to that of this version of the resource. */
  readonly setVersion: (version: unknown) => void
  /** Runs `work` after the transaction has committed. */
  readonly afterCommit: (work: () => void) => void
}

type Handler<Op extends AnyOperation> = (call: Call<Op>) => Promise<ResponseOf<Op>>

/** Updates a response stored for an `Idempotency-Key` before it is replayed. */
type Refresh<Op extends AnyOperation> = (call: Call<Op>, saved: ResponseOf<Op>) => Promise<ResponseOf<Op>>

/** Registers an operation of the contract: authenticates, validates, calls the handler, sends its result. */
export function route<Op extends AnyOperation>(
  api: Api,
  operation: Op,
  handler: Handler<Op>,
  refresh?: Refresh<Op>,
): void {
  register(api, operation, {
    run: handler,
    runIdempotent: ({ db }, on, idempotentRequest) => runIdempotent(db, idempotentRequest, (tx) => handler(on(tx))),
    ...(refresh && { refresh }),
  })
}

/** Like `route`, for an operation that calls other services. They are called before the transaction. */
export function preparedRoute<Op extends AnyOperation>(
  api: Api,
  operation: Op,
  prepare: (call: Call<Op>) => Promise<Prepared<ResponseOf<Op>>>,
): void {
  register(api, operation, {
    run: async (call) => {
      const prepared = await prepare(call)
      return rollBackOnDomainError(prepared, () => prepared.commit(call.db))
    },
    runIdempotent: (call, _, idempotentRequest) =>
      runIdempotentPrepared(call.db, idempotentRequest, () => prepare(call)),
  })
}

/** Runs an operation, with or without an `Idempotency-Key`. */
type ResponseModes<Op extends AnyOperation> = {
  readonly run: Handler<Op>
  readonly runIdempotent: (
    call: Call<Op>,
    on: (tx: OrganizationDb) => Call<Op>,
    idempotentRequest: IdempotentRequest,
  ) => Promise<IdempotentResult<ResponseOf<Op>>>
  readonly refresh?: Refresh<Op>
}

function register<Op extends AnyOperation>(api: Api, operation: Op, modes: ResponseModes<Op>): void {
  const findInvalidParameter = invalidParameterFinder(operation.params)
  const queryCheck = checkQuery(operation.query)
  const headersOf = operation.headers && readHeaders(operation.headers)
  const bodyCheck = bodyCheckFor(operation)
  const audit = api.audit(operation)
  api.http.route({
    method: operation.method,
    url: `${API_PREFIX}${operation.path}`,
    config: { operation: operation.id },
    ...(operation.bodyBytesMax === undefined ? {} : { bodyLimit: operation.bodyBytesMax }),
    schema: { response: { [operation.success.status]: jsonSchemaOf(operation) } },
    async onRequest(request, reply) {
      request.principal = await api.authenticate(request, reply)
      assertAllowed(request.principal, operation, request.params)
    },
    async onSend(request, reply, payload) {
      await api.limits.end(request, reply)
      await audit.end(request, reply)
      return payload
    },
    async handler(request, reply) {
      request.handlerStartMs = performance.now()
      const invalidParameter = findInvalidParameter(request.params)
      if (invalidParameter !== undefined) throw notFound(operation, invalidParameter)
      const { asset_id: assetId } = request.params as { asset_id?: AssetId }
      if (assetId !== undefined) request.subject = { assetId }
      queryCheck(request.query)
      const headers = (headersOf?.(request.headers) ?? {}) as HeadersOf<Op>
      // A missing body is validated like an empty object, so that the error names the missing fields.
      if (request.body === undefined) request.body = {}
      bodyCheck(request.body, request.principal)
      const afterCommit: (() => void)[] = []
      const on = (db: OrganizationDb) => toCall<Op>(api, request, { reply, db, headers, afterCommit })
      const call = on(api.databaseFor(request.principal, audit.begin(request)))
      const key = operation.idempotent ? request.headers['idempotency-key'] : undefined
      const response = await (key === undefined
        ? modes.run(call)
        : respondIdempotently(operation, String(key), { modes, call, on, request, reply }))
      for (const task of afterCommit) task()
      return sendResponse(reply.status(operation.success.status), operation, response)
    },
  })
}

/** For operations without a body: some clients always send an empty object, and a field would have no effect. */
const noBody = { type: 'object', properties: {}, additionalProperties: false } as const

/** Validates the body. Some fields are required unless the organization has a default for them. */
function bodyCheckFor({ body = noBody, hasDefaultResolutions }: AnyOperation) {
  const check = checkBody(body)
  if (!hasDefaultResolutions) return check
  const checkAll = checkBody({ ...body, required: [...(body.required ?? []), 'resolutions'] })
  return (value: unknown, principal: Principal) => (principal.hasDefaultResolutions ? check : checkAll)(value)
}

/** Schema for serializing a JSON response; files are sent unchanged. */
const jsonSchemaOf = ({ success }: AnyOperation) => (success.mediaTypes ? {} : (success.body ?? {}))

function sendResponse(reply: FastifyReply, { success }: AnyOperation, response: unknown) {
  if (!success.mediaTypes) return reply.send(response)
  if (success.isStream) return sendStream(reply, success.mediaTypes[0], response as StreamResponse)
  const { mediaType, fileName, text } = response as FileResponse
  return reply
    .header('Content-Type', `${mediaType}; charset=utf-8`)
    .header('Content-Disposition', `attachment; filename="${fileName}"`)
    .send(text)
}

type CallContext<Op extends AnyOperation> = {
  readonly reply: FastifyReply
  readonly db: OrganizationDb
  readonly headers: HeadersOf<Op>
  readonly afterCommit: (() => void)[]
}

function toCall<Op extends AnyOperation>(
  { publicUrl, playbackBaseFor }: Api,
  request: FastifyRequest,
  { reply, db, headers, afterCommit }: CallContext<Op>,
): Call<Op> {
  return {
    principal: request.principal,
    db,
    params: request.params as ParamsOf<Op>,
    query: request.query as QueryOf<Op>,
    headers,
    body: request.body as BodyOf<Op>,
    playbackBase: playbackBaseFor(request.principal),
    listUrl: { url: publicUrl + pathOf(request), query: request.query as ListUrl['query'] },
    setSubject: (assetId) => {
      request.subject = { assetId }
    },
    setVersion: (version) => void reply.header('ETag', entityTagOf(version)),
    afterCommit: (task) => afterCommit.push(task),
  }
}

type IdempotentCall<Op extends AnyOperation> = {
  readonly modes: ResponseModes<Op>
  readonly call: Call<Op>
  readonly on: (tx: OrganizationDb) => Call<Op>
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/** Runs the operation in the transaction that stores its response, or replays the stored response. */
async function respondIdempotently<Op extends AnyOperation>(
  operation: Op,
  key: string,
  { modes, call, on, request, reply }: IdempotentCall<Op>,
): Promise<ResponseOf<Op>> {
  assertIdempotencyKey(key)
  const idempotentRequest = {
    key,
    // A limited principal does not get the response to another principal.
    request: [operation.id, request.params, request.body, ...(request.principal.limits ? [request.principal.id] : [])],
    encryptedFor: operation.secretResponse && requireSecret(request),
  }
  const { response, isReplayed } = await modes.runIdempotent(call, on, idempotentRequest)
  if (!isReplayed) return response
  reply.header('Idempotency-Replayed', 'true')
  return modes.refresh ? modes.refresh(call, response) : response
}

/** Without a secret, the response would be stored unencrypted. */
function requireSecret(request: FastifyRequest): string {
  const secret = secretOf(request)
  if (secret === undefined) throw new Error('A response with a secret cannot be stored: the request has no credential')
  return secret
}

function assertAllowed(principal: Principal, operation: AnyOperation, params: unknown): void {
  if (principal.uploadSessionUuid !== undefined) assertOwnSession(principal, operation, params)
  for (const scope of operation.scopes) assertScope(principal, scope)
  if (operation.isOrganizationWide) assertNoLimits(principal)
  if (operation.needsRecentSignIn) assertRecentSignIn(principal, Date.now())
}

function assertNoLimits({ limits }: Principal): void {
  if (!limits) return
  throw refused(
    'outside_folder',
    'This operation concerns the whole organization, and you have access to a part of it. Use a token or role without limits.',
  )
}

/** An upload token gets the same error for every other session, whether it exists or not. */
function assertOwnSession({ uploadSessionUuid }: Principal, { acceptsUploadToken }: AnyOperation, params: unknown) {
  const { session_uuid } = params as { session_uuid?: string }
  if (acceptsUploadToken && session_uuid === uploadSessionUuid) return
  throw refused(
    'insufficient_scope',
    'An upload token can only be used for its own upload session. Use an API token in your backend.',
  )
}

/** A malformed identifier is reported like one that does not exist. */
function notFound({ errors }: AnyOperation, parameter: string) {
  const resource = parameter.replace(/_(id|uuid)$/, '')
  const code =
    errors.find((code) => errorCatalogue[code].status === 404 && code.endsWith(`${resource}_not_found`)) ?? 'not_found'
  return refused(code, errorCatalogue[code].meaning)
}

const pathOf = (request: FastifyRequest) => request.url.split('?', 1)[0] ?? ''

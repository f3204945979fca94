import type {
  AnswerOf,
  BodyOf,
  FileAnswer,
  HeadersOf,
  ParamsOf,
  QueryOf,
  StreamAnswer,
} from '@reelkeep/contract'
import { type AnyOperation, API_PREFIX, errorCatalogue } from '@reelkeep/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { refused } from '../../kernel/errors.ts'
import type { AssetId, OrganizationId } from '../../kernel/ids.ts'
import type { OrganizationDb } from '../db/database.ts'
import { hasScope, type Principal, tokenInHeader } from './authentication.ts'
import {
  type Answered,
  answerOnce,
  assertIdempotencyKey,
  prepareOnce,
  type Repeatable,
} from './idempotency.ts'
import type { Address } from './page.ts'
import { finishing, type Prepared } from './preparation.ts'
import { sendStream } from './streaming.ts'
import { checkBody, checkQuery, finderOfStrange, readHeaders } from './validation.ts'

/** What the addresses of all that can be played of an asset begin with. */
export type PlaybackBase = (asset: {
  readonly organizationId: OrganizationId
  readonly id: AssetId
}) => string

/** Where operations are registered: the server, who may call it, and what they get to work with. */
export type Api = {
  readonly http: FastifyInstance
  readonly publicUrl: string
  readonly playbackBase: PlaybackBase
  /** Throws unless the request comes with a valid token for the organization in its path. */
  readonly admit: (request: FastifyRequest, reply: FastifyReply) => Promise<Principal>
  readonly databaseFor: (principal: Principal) => OrganizationDb
}

/** A request that was let in and checked, as its handler sees it. */
export type Call<Op extends AnyOperation> = {
  readonly principal: Principal
  readonly db: OrganizationDb
  readonly params: ParamsOf<Op>
  readonly query: QueryOf<Op>
  readonly headers: HeadersOf<Op>
  readonly body: BodyOf<Op>
  readonly address: Address
  /** Says which asset it turned out to be about, where that does not stand in the address. */
  readonly about: (assetId: AssetId) => void
  /** Has this done once the change is committed, and only if it is. */
  readonly afterwards: (work: () => void) => void
}

type Handler<Op extends AnyOperation> = (call: Call<Op>) => Promise<AnswerOf<Op>>

/** Brings a saved answer up to date before it is given again. */
type Refresh<Op extends AnyOperation> = (
  call: Call<Op>,
  saved: AnswerOf<Op>,
) => Promise<AnswerOf<Op>>

/** Registers an operation of the contract: admit, check, call the handler, answer its result. */
export function route<Op extends AnyOperation>(
  api: Api,
  operation: Op,
  handler: Handler<Op>,
  refresh?: Refresh<Op>,
): void {
  register(api, operation, {
    answer: handler,
    answerOnce: ({ db }, on, repeatable) => answerOnce(db, repeatable, (tx) => handler(on(tx))),
    ...(refresh && { refresh }),
  })
}

/** The same for an operation that needs more than the database: that part is done before its transaction. */
export function preparedRoute<Op extends AnyOperation>(
  api: Api,
  operation: Op,
  prepare: (call: Call<Op>) => Promise<Prepared<AnswerOf<Op>>>,
): void {
  register(api, operation, {
    answer: async (call) => {
      const prepared = await prepare(call)
      return finishing(prepared, () => prepared.finish(call.db))
    },
    answerOnce: (call, _, repeatable) => prepareOnce(call.db, repeatable, () => prepare(call)),
  })
}

/** How an operation is answered without an `Idempotency-Key`, and how with one. */
type Manner<Op extends AnyOperation> = {
  readonly answer: Handler<Op>
  readonly answerOnce: (
    call: Call<Op>,
    on: (tx: OrganizationDb) => Call<Op>,
    repeatable: Repeatable,
  ) => Promise<Answered<AnswerOf<Op>>>
  readonly refresh?: Refresh<Op>
}

function register<Op extends AnyOperation>(api: Api, operation: Op, manner: Manner<Op>): void {
  const findStrange = finderOfStrange(operation.params)
  const queryCheck = checkQuery(operation.query)
  const headersOf = operation.headers && readHeaders(operation.headers)
  const bodyCheck = operation.body && checkBody(operation.body)
  api.http.route({
    method: operation.method,
    url: `${API_PREFIX}${operation.path}`,
    config: { operation: operation.id },
    ...(operation.bodyBytesMax === undefined ? {} : { bodyLimit: operation.bodyBytesMax }),
    schema: { response: { [operation.success.status]: jsonSchemaOf(operation) } },
    async onRequest(request, reply) {
      request.principal = await api.admit(request, reply)
      assertScope(request.principal, operation)
    },
    async handler(request, reply) {
      const strange = findStrange(request.params)
      if (strange !== undefined) throw absent(operation, strange)
      const { asset_id: assetId } = request.params as { asset_id?: AssetId }
      if (assetId !== undefined) request.subject = { assetId }
      queryCheck(request.query)
      const headers = (headersOf?.(request.headers) ?? {}) as HeadersOf<Op>
      // No body at all is read as an empty one, so that the answer names the fields that are missing.
      if (request.body === undefined) request.body = {}
      bodyCheck?.(request.body)
      const afterwards: (() => void)[] = []
      const on = (db: OrganizationDb) => toCall<Op>(api, request, { db, headers, afterwards })
      const call = on(api.databaseFor(request.principal))
      const key = operation.idempotent ? request.headers['idempotency-key'] : undefined
      const answer = await (key === undefined
        ? manner.answer(call)
        : answerWithKey(operation, String(key), { manner, call, on, request, reply }))
      for (const task of afterwards) task()
      return sendAnswer(reply.status(operation.success.status), operation, answer)
    },
  })
}

/** What fastify makes JSON by; a file is sent as it is. */
const jsonSchemaOf = ({ success }: AnyOperation) => (success.mediaTypes ? {} : (success.body ?? {}))

function sendAnswer(reply: FastifyReply, { success }: AnyOperation, answer: unknown) {
  if (!success.mediaTypes) return reply.send(answer)
  if (success.isStream) return sendStream(reply, success.mediaTypes[0], answer as StreamAnswer)
  const { mediaType, fileName, text } = answer as FileAnswer
  return reply
    .header('Content-Type', `${mediaType}; charset=utf-8`)
    .header('Content-Disposition', `attachment; filename="${fileName}"`)
    .send(text)
}

type Surroundings<Op extends AnyOperation> = {
  readonly db: OrganizationDb
  readonly headers: HeadersOf<Op>
  readonly afterwards: (() => void)[]
}

function toCall<Op extends AnyOperation>(
  { publicUrl }: Api,
  request: FastifyRequest,
  { db, headers, afterwards }: Surroundings<Op>,
): Call<Op> {
  return {
    principal: request.principal,
    db,
    params: request.params as ParamsOf<Op>,
    query: request.query as QueryOf<Op>,
    headers,
    body: request.body as BodyOf<Op>,
    address: { url: publicUrl + pathOf(request), query: request.query as Address['query'] },
    about: (assetId) => {
      request.subject = { assetId }
    },
    afterwards: (task) => afterwards.push(task),
  }
}

type Keyed<Op extends AnyOperation> = {
  readonly manner: Manner<Op>
  readonly call: Call<Op>
  readonly on: (tx: OrganizationDb) => Call<Op>
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/** With an `Idempotency-Key`, the work happens in the transaction that saves its answer. */
async function answerWithKey<Op extends AnyOperation>(
  operation: Op,
  key: string,
  { manner, call, on, request, reply }: Keyed<Op>,
): Promise<AnswerOf<Op>> {
  assertIdempotencyKey(key)
  const repeatable = {
    key,
    request: [operation.id, request.params, request.body],
    sealedWith: operation.secretAnswer && tokenInHeader(request.headers.authorization),
  }
  const { answer, isRepeated } = await manner.answerOnce(call, on, repeatable)
  if (!isRepeated) return answer
  reply.header('Idempotency-Replayed', 'true')
  return manner.refresh ? manner.refresh(call, answer) : answer
}

function assertScope(principal: Principal, { scope }: AnyOperation): void {
  if (scope === null || hasScope(principal, scope)) return
  throw refused(
    'insufficient_scope',
    `This token lacks the scope ${scope}. Use or create one that has it.`,
  )
}

/** An identifier of an impossible form is answered like one that does not exist. */
function absent({ errors }: AnyOperation, parameter: string) {
  const thing = parameter.replace(/_(id|uuid)$/, '')
  const code =
    errors.find(
      (code) => errorCatalogue[code].status === 404 && code.endsWith(`${thing}_not_found`),
    ) ?? 'not_found'
  return refused(code, errorCatalogue[code].meaning)
}

const pathOf = (request: FastifyRequest) => request.url.split('?', 1)[0] ?? ''

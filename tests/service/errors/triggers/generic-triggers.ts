/** Triggers the generic error codes in the same way for each operation. */
import {
  type AnyOperation,
  type ErrorCode,
  errorCodesOf,
  type Problem,
  scopes,
} from '@reelkeep/contract'
import type { Caller, Received, Superuser, TestApi } from '@reelkeep/testkit'
import {
  type OperationId,
  operationIds,
  operationOf,
  send,
  validRequest,
} from '../every-operation.ts'

export type Theatre = {
  readonly testApi: TestApi
  /** With a low rate limit. */
  readonly strictWorld: TestApi
  readonly superuser: Superuser
}

type Provocation = (theatre: Theatre, id: OperationId) => Promise<Received<Problem>>

const BODY_BYTES_MAX = 1024 * 1024

async function newRequest({ testApi }: Theatre, id: OperationId) {
  const caller = await testApi.newOrganization()
  return { caller, request: await validRequest(caller, id) }
}

const sharedRequests = new Map<OperationId, ReturnType<typeof newRequest>>()

/** One valid request per operation: a rejected request changes nothing, so the next code can use it too. */
function sharedRequest(theatre: Theatre, id: OperationId): ReturnType<typeof newRequest> {
  const request = sharedRequests.get(id) ?? newRequest(theatre, id)
  sharedRequests.set(id, request)
  return request
}

/** Sends the operation's valid request with one change. */
const withHeaders =
  (headers: Record<string, string>): Provocation =>
  async (theatre, id) => {
    const { caller, request } = await sharedRequest(theatre, id)
    return send(caller, request, headers)
  }

const withBody =
  (change: (body: object) => unknown): Provocation =>
  async (theatre, id) => {
    const { caller, request } = await sharedRequest(theatre, id)
    return send(caller, { ...request, body: change(request.body as object) })
  }

/** Blocks every change of this organization until the response has arrived. */
async function whileHeld<Result>(
  { superuser }: Theatre,
  { organizationId }: Caller,
  work: () => Promise<Result>,
): Promise<Result> {
  await superuser.query('begin')
  await superuser.query('select from organizations where id = $1 for update', [organizationId])
  await superuser.query(
    `insert into folder_counts select $1, slot, 0, 0 from generate_series(0, 15) as slot
     on conflict (organization_id, slot) do update set folder_count = folder_counts.folder_count`,
    [organizationId],
  )
  await superuser.query(
    `insert into asset_counts select $1, slot, 0 from generate_series(0, 15) as slot
     on conflict (organization_id, slot) do update set asset_count = asset_counts.asset_count`,
    [organizationId],
  )
  for (const table of ['assets', 'webhooks'])
    await superuser.query(`select from ${table} where organization_id = $1 for update`, [
      organizationId,
    ])
  try {
    return await work()
  } finally {
    await superuser.query('rollback')
  }
}

/** A query parameter of the operation that accepts no text, if there is one. */
function countedParameter({ query }: AnyOperation): string | undefined {
  const properties = Object.entries(query.properties as Record<string, { type?: string }>)
  return properties.find(([, { type }]) => type === 'integer' || type === 'boolean')?.[0]
}

const withQuery =
  (queryOf: (operation: AnyOperation) => string): Provocation =>
  async (theatre, id) => {
    const { caller, request } = await sharedRequest(theatre, id)
    return send(caller, { ...request, path: `${request.path}?${queryOf(operationOf(id))}` })
  }

/** A misspelled parameter. */
export const provokeUnknownParameter = withQuery(() => 'titel=x')

export const genericTriggers = {
  // Each from its own address: one address may fail only sixty times a minute.
  unauthenticated: async (theatre, id) => {
    const { caller, request } = await sharedRequest(theatre, id)
    const address = `2001:db8::${operationIds.indexOf(id).toString(16)}`
    return send(caller, request, { authorization: '', 'x-forwarded-for': address })
  },
  insufficient_scope: async (theatre, id) => {
    const { caller, request } = await sharedRequest(theatre, id)
    const others = scopes.filter((scope) => scope !== '*' && scope !== operationOf(id).scope)
    const weak = await caller.post<{ token: string }>('tokens/', { name: 'x', scopes: others })
    return send(caller.withToken(weak.body.token), request)
  },
  organization_not_found: async (theatre, id) => {
    const { caller, request } = await sharedRequest(theatre, id)
    return send(caller.at('nobody00'), request)
  },
  rate_limited: async ({ strictWorld }, id) => {
    const caller = await strictWorld.newOrganization()
    await caller.get('tokens/current/')
    const { method, path } = operationOf(id)
    return caller.send(method, path.slice(1))
  },
  invalid_request: async (theatre, id) => {
    const { body } = operationOf(id)
    if (!body) return withQuery((operation) => `${countedParameter(operation)}=words`)(theatre, id)
    const [field = ''] = Object.keys(body.properties)
    return withBody((valid) => ({ ...valid, [field]: {} }))(theatre, id)
  },
  malformed_json: withBody(() => '{"title": '),
  unknown_field: async (theatre, id) => {
    if (!operationOf(id).body) return provokeUnknownParameter(theatre, id)
    return withBody((body) => ({ ...body, titel: 'x' }))(theatre, id)
  },
  body_too_large: (theatre, id) => {
    const bytesMax = operationOf(id).bodyBytesMax ?? BODY_BYTES_MAX
    return withBody((body) => JSON.stringify(body) + ' '.repeat(bytesMax))(theatre, id)
  },
  unsupported_media_type: withHeaders({ 'content-type': 'text/plain' }),
  invalid_idempotency_key: withHeaders({ 'idempotency-key': 'kéy' }),
  idempotency_key_reused: async (theatre, id) => {
    const { caller, request } = await newRequest(theatre, id)
    const headers = { 'idempotency-key': 'once' }
    await caller.post('assets/folders/', { title: 'Something else' }, headers)
    return send(caller, request, headers)
  },
  idempotency_key_in_use: async (theatre, id) => {
    const { caller, request } = await newRequest(theatre, id)
    const call = () => send<Problem>(caller, request, { 'idempotency-key': 'once' })
    const both: Promise<Received<Problem>>[] = []
    const refused = await whileHeld(theatre, caller, () => {
      both.push(call(), call())
      // One request holds the key and waits; the other is answered at once.
      return Promise.race(both)
    })
    await Promise.all(both)
    return refused
  },
} satisfies Partial<Record<ErrorCode, Provocation>>

export type GenericCode = keyof typeof genericTriggers

/** The generic codes that this operation can return. */
export function genericCodesOf(id: OperationId): GenericCode[] {
  const operation = operationOf(id)
  const hasAnythingToGetWrong = operation.body || countedParameter(operation)
  return errorCodesOf(operation)
    .filter((code): code is GenericCode => code in genericTriggers)
    .filter((code) => code !== 'insufficient_scope' || operation.scope !== null)
    .filter((code) => code !== 'invalid_request' || hasAnythingToGetWrong)
}

/** Triggers the generic error codes in the same way for each operation. */
import {
  type AnyOperation,
  type ErrorCode,
  errorCodesOf,
  includesScope,
  type Problem,
  scopes,
} from '@reelkeep/contract'
import { type ApiResponse, type Caller, newMember, type Superuser, type TestApi } from '@reelkeep/testkit'
import { type OperationId, operationIds, operationOf, send, validRequest } from '../every-operation.ts'
import { limitedCaller } from './limited.ts'

export type TriggerContext = {
  readonly testApi: TestApi
  /** An API with a low rate limit. */
  readonly strictApi: TestApi
  readonly superuser: Superuser
}

type Trigger = (context: TriggerContext, id: OperationId) => Promise<ApiResponse<Problem>>

const BODY_BYTES_MAX = 1024 * 1024

async function newRequest({ testApi }: TriggerContext, id: OperationId) {
  const caller = await testApi.newOrganization()
  return { caller, request: await validRequest(caller, id) }
}

const sharedRequests = new Map<OperationId, ReturnType<typeof newRequest>>()

/** One valid request per operation. Rejected requests change nothing, so all error codes can be based on it. */
function sharedRequest(context: TriggerContext, id: OperationId): ReturnType<typeof newRequest> {
  const request = sharedRequests.get(id) ?? newRequest(context, id)
  sharedRequests.set(id, request)
  return request
}

/** Sends the operation's valid request with other headers. */
const withHeaders =
  (headers: Record<string, string>): Trigger =>
  async (context, id) => {
    const { caller, request } = await sharedRequest(context, id)
    return send(caller, request, headers)
  }

const withBody =
  (change: (body: object) => unknown): Trigger =>
  async (context, id) => {
    const { caller, request } = await sharedRequest(context, id)
    return send(caller, { ...request, body: change(request.body as object) })
  }

/** Blocks every change of this organization while `work` runs. */
async function whileLocked<Result>(
  { superuser }: TriggerContext,
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
    await superuser.query(`select from ${table} where organization_id = $1 for update`, [organizationId])
  // A bulk operation writes only rows of its own.
  await superuser.query('lock table bulk_operations in share row exclusive mode')
  try {
    return await work()
  } finally {
    await superuser.query('rollback')
  }
}

/** A query parameter of the operation that must be a number or a boolean, if there is one. */
function countedParameter({ query }: AnyOperation): string | undefined {
  const properties = Object.entries(query.properties as Record<string, { type?: string }>)
  return properties.find(([, { type }]) => type === 'integer' || type === 'boolean')?.[0]
}

const withQuery =
  (queryOf: (operation: AnyOperation) => string): Trigger =>
  async (context, id) => {
    const { caller, request } = await sharedRequest(context, id)
    const separator = request.path.includes('?') ? '&' : '?'
    return send(caller, { ...request, path: `${request.path}${separator}${queryOf(operationOf(id))}` })
  }

/** Sends a request with a misspelled query parameter. */
export const triggerUnknownParameter = withQuery(() => 'titel=x')

export const genericTriggers = {
  // Each operation uses its own IPv6 network, because a network may fail only sixty times a minute.
  unauthenticated: async (context, id) => {
    const { caller, request } = await sharedRequest(context, id)
    const ip = `2001:db8:0:${operationIds.indexOf(id).toString(16)}::1`
    return send(caller, request, { authorization: '', 'x-forwarded-for': ip })
  },
  insufficient_scope: async (context, id) => {
    const { caller, request } = await sharedRequest(context, id)
    const others = scopes.filter((scope) => !operationOf(id).scopes.some((needed) => includesScope([scope], needed)))
    const weak = await caller.post<{ token: string }>('tokens/', { name: 'x', scopes: others })
    return send(caller.withToken(weak.body.token), request)
  },
  outside_folder: async (context, id) => {
    const { caller, request } = await sharedRequest(context, id)
    return send((await limitedCaller(caller)).limited, request)
  },
  cross_site_request: async (context, id) => {
    const { caller, request } = await sharedRequest(context, id)
    const member = await newMember(context.superuser, caller)
    return send(member.caller, request, { 'sec-fetch-site': 'cross-site' })
  },
  recent_sign_in_required: async (context, id) => {
    const { caller, request } = await sharedRequest(context, id)
    const member = await newMember(context.superuser, caller)
    await context.superuser.query(
      `update people.sessions set authenticated_at = now() - interval '1 hour' where id = $1`,
      [member.sessionId],
    )
    return send(member.caller, request)
  },
  organization_not_found: async (context, id) => {
    const { caller, request } = await sharedRequest(context, id)
    return send(caller.at('nobody00'), request)
  },
  rate_limited: async ({ strictApi }, id) => {
    const caller = await strictApi.newOrganization()
    await caller.get('tokens/current/')
    const { method, path } = operationOf(id)
    return caller.send(method, path.slice(1))
  },
  invalid_request: async (context, id) => {
    const { body } = operationOf(id)
    if (!body) return withQuery((operation) => `${countedParameter(operation)}=words`)(context, id)
    const [field = ''] = Object.keys(body.properties)
    return withBody((valid) => ({ ...valid, [field]: {} }))(context, id)
  },
  malformed_json: withBody(() => '{"title": '),
  unknown_field: async (context, id) => {
    if (operationOf(id).method === 'GET') return triggerUnknownParameter(context, id)
    return withBody((body) => ({ ...body, titel: 'x' }))(context, id)
  },
  body_too_large: (context, id) => {
    const bytesMax = operationOf(id).bodyBytesMax ?? BODY_BYTES_MAX
    return withBody((body) => JSON.stringify(body) + ' '.repeat(bytesMax))(context, id)
  },
  unsupported_media_type: withHeaders({ 'content-type': 'text/plain' }),
  invalid_idempotency_key: withHeaders({ 'idempotency-key': 'kéy' }),
  idempotency_key_reused: async (context, id) => {
    const { caller, request } = await newRequest(context, id)
    const headers = { 'idempotency-key': 'once' }
    await caller.post('assets/folders/', { title: 'Something else' }, headers)
    return send(caller, request, headers)
  },
  idempotency_key_in_use: async (context, id) => {
    const { caller, request } = await newRequest(context, id)
    const call = () => send<Problem>(caller, request, { 'idempotency-key': 'once' })
    const both: Promise<ApiResponse<Problem>>[] = []
    const rejected = await whileLocked(context, caller, () => {
      both.push(call(), call())
      // One request locks the idempotency key and waits; the other gets its response at once.
      return Promise.race(both)
    })
    await Promise.all(both)
    return rejected
  },
} satisfies Partial<Record<ErrorCode, Trigger>>

export type GenericCode = keyof typeof genericTriggers

/** The generic error codes that this operation can return. */
export function genericCodesOf(id: OperationId): GenericCode[] {
  const operation = operationOf(id)
  const canBeInvalid = operation.body || countedParameter(operation)
  return errorCodesOf(operation)
    .filter((code): code is GenericCode => code in genericTriggers)
    .filter((code) => !operation.errors.includes(code))
    .filter((code) => code !== 'insufficient_scope' || operation.scopes.length > 0)
    .filter((code) => code !== 'invalid_request' || canBeInvalid)
}

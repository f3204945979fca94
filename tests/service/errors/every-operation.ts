/** A valid request for every operation, so that tests can cover the whole API. */
import { randomUUID } from 'node:crypto'
import {
  type AnyOperation,
  operations,
  type signingKeys,
  type tokens,
  type uploadSessions,
  type webhooks,
} from '@reelkeep/contract'
import {
  type ApiResponse,
  type Caller,
  type Method,
  newMember,
  postForm,
  probedAsset,
  processAsset,
  type StackEnv,
  Superuser,
  stackEnv,
} from '@reelkeep/testkit'

export type OperationId = (typeof operations)[number]['id']

type OperationOf<Id extends OperationId> = Extract<(typeof operations)[number], { id: Id }>

/** The error codes that an operation documents beyond the generic ones. */
export type ErrorsOf<Id extends OperationId> = OperationOf<Id>['errors'][number]

export type Request = {
  readonly method: Method
  /** Path of the request, relative to the organization. */
  readonly path: string
  readonly body?: unknown
}

/** The resources that a request reads or changes. They are created for each request, because some requests end them. */
type Resources = {
  readonly folder: string
  readonly token: string
  readonly opened: uploadSessions.NewUploadSession
  readonly subtitle: string
  readonly accessToken: string
  readonly signingKey: string
  readonly bulkOperation: string
  readonly webhook: string
  /** An event delivered to the webhook. */
  readonly event: string
}

export const operationIds = operations.map(({ id }) => id)

/** The operations that succeed with a token; the others need a session. */
export const tokenOperationIds = operationIds.filter((id) => id !== 'readCurrentMember')

export function operationOf(id: OperationId): AnyOperation {
  const operation = operations.find((operation) => operation.id === id)
  if (!operation) throw new Error(`Unknown operation: ${id}`)
  return operation
}

async function createResources(caller: Caller, env: StackEnv): Promise<Resources> {
  const [folder, token, signingKey, opened] = await Promise.all([
    caller.post<{ uuid: string }>('assets/folders/', { title: 'A folder' }),
    caller.post<tokens.NewToken>('tokens/', { name: 'A token', scopes: ['folders:read'] }),
    someSigningKey(caller),
    probedAsset(caller, {}, env),
  ])
  const chapters = [{ title: 'A chapter', start_time: '00:00:05' }]
  await caller.post(`assets/${opened.asset.id}/chapters/`, { chapters })
  const subtitles = { language: 'de', content: 'WEBVTT\n\n00:01.000 --> 00:02.000\nGuten Tag\n' }
  const added = await caller.post<{ id: string }>(`assets/${opened.asset.id}/subtitles/`, subtitles)
  const playbackToken = await caller.post<{ id: string }>(`assets/${opened.asset.id}/access-tokens/`, {})
  return {
    folder: folder.body.uuid,
    token: token.body.id,
    opened,
    subtitle: added.body.id,
    accessToken: playbackToken.body.id,
    signingKey,
    bulkOperation: await someBulkOperation(caller),
    ...(await someDelivery(caller)),
  }
}

/** Returns an existing signing key, because an organization may have at most ten. */
async function someSigningKey(caller: Caller): Promise<string> {
  const { body } = await caller.get<{ results: { id: string }[] }>('signing-keys/')
  if (body.results[0]) return body.results[0].id
  const created = await caller.post<signingKeys.NewSigningKey>('signing-keys/', { name: 'A key' })
  return created.body.id
}

/** Returns an existing bulk operation, because an organization may have at most 20 unfinished ones. */
async function someBulkOperation(caller: Caller): Promise<string> {
  const { body } = await caller.get<{ results: { id: string }[] }>('bulk-operations/')
  if (body.results[0]) return body.results[0].id
  const created = await caller.post<{ id: string }>('bulk-operations/', { action: 'retry', ids: [randomUUID()] })
  return created.body.id
}

/** Creates a member, an invitation and a role if the path contains the id of one. */
async function withPeople(path: string, caller: Caller, env: StackEnv): Promise<string> {
  if (!/:(member|invitation|role)_id/.test(path)) return path
  await using superuser = await Superuser.open(env)
  const member = await newMember(superuser, caller, { role: 'viewer', scopes: ['assets:read'] })
  const email = `${randomUUID()}@example.org`
  const invited = await caller.post<{ id: string }>('invitations/', { email, role: 'viewer' })
  const role = await caller.post<{ id: string }>('roles/', { name: 'A role', scopes: ['assets:read'] })
  return path
    .replace(':member_id', member.id)
    .replace(':invitation_id', invited.body.id)
    .replace(':role_id', role.body.id)
}

/** Returns a delivery of an existing webhook, because an organization may have at most 100 webhooks. */
async function someDelivery(caller: Caller): Promise<Pick<Resources, 'webhook' | 'event'>> {
  const { body } = await caller.get<{ results: { id: string }[] }>('webhooks/')
  const url = 'https://receiver.example/'
  const webhook = body.results[0]?.id ?? (await caller.post<webhooks.NewWebhook>('webhooks/', { url })).body.id
  await caller.patch(`webhooks/${webhook}/`, { enabled: true })
  const test = await caller.post<{ event_id: string }>(`webhooks/${webhook}/test/`)
  return { webhook, event: test.body.event_id }
}

type Preparation = (caller: Caller, resources: Resources, env: StackEnv) => Promise<unknown>

/** Preparations for operations that need a certain state of the resources. */
const preparations: Partial<Record<OperationId, Preparation>> = {
  restoreAsset: (caller, { opened }) => caller.delete(`assets/${opened.asset.id}/`),
  restoreFolder: (caller, { folder }) => caller.delete(`assets/folders/${folder}/`),
  createDownload: processUpload,
  setCover: processUpload,
  createClip: processUpload,
  renderAsset: processUpload,
  setTrim: processUpload,
  deleteTrim: async (caller, resources, env) => {
    await processUpload(caller, resources, env)
    await caller.put(`assets/${resources.opened.asset.id}/trim/`, { start_seconds: 1, end_seconds: 2 })
  },
  createVersion: processUpload,
  activateVersion: processUpload,
  activateSubtitleVersion: (caller, { opened, subtitle }) =>
    caller.put(`assets/${opened.asset.id}/subtitles/${subtitle}/`, {
      content: 'WEBVTT\n\n00:01.000 --> 00:02.000\nGuten Morgen\n',
    }),
  completeUploadSession: (_, { opened }) => postForm(opened),
  cancelAsset: (caller, { opened }) => completeUpload(caller, opened),
  retryAsset: async (caller, { opened }) => {
    await completeUpload(caller, opened)
    await caller.post(`assets/${opened.asset.id}/cancel/`)
  },
  listUploadParts: (caller, { opened }) =>
    caller.post(`assets/upload-sessions/${opened.upload_session.uuid}/parts/`, {
      file_size_bytes: 20_000_000,
      numbers: [1],
    }),
}

async function completeUpload(caller: Caller, opened: Resources['opened']): Promise<void> {
  await postForm(opened)
  await caller.post(`assets/upload-sessions/${opened.upload_session.uuid}/complete/`)
}

async function processUpload(caller: Caller, { opened }: Resources, env: StackEnv): Promise<void> {
  await completeUpload(caller, opened)
  await processAsset({ organizationId: caller.organizationId, assetId: opened.asset.id }, env)
}

/** The queries of operations that require one. */
const requiredQueries: Partial<Record<OperationId, string>> = {
  readFrames: '?around=1',
  searchMoments: '?q=video',
  searchAsset: '?q=video',
}

/** The caller needs every scope, because it also creates the resources. */
export async function validRequest(caller: Caller, id: OperationId, env: StackEnv = stackEnv()): Promise<Request> {
  const resources = await createResources(caller, env)
  await preparations[id]?.(caller, resources, env)
  const { asset, upload_session } = resources.opened
  const { method, path, body: schema } = operationOf(id)
  const [body] = (schema?.examples ?? []) as unknown[]
  return {
    method,
    path: (await withPeople(path, caller, env))
      .slice(1)
      .replace(':folder_uuid', resources.folder)
      .replace(':token_id', resources.token)
      .replace(':asset_id', asset.id)
      .replace(':chapter_id', '1')
      .replace(':version_number', '1')
      .replace(':subtitle_id', resources.subtitle)
      .replace(':access_token_id', resources.accessToken)
      .replace(':signing_key_id', resources.signingKey)
      .replace(':webhook_id', resources.webhook)
      .replace(':delivery_id', resources.event)
      .replace(':bulk_operation_id', resources.bulkOperation)
      .replace(':session_uuid', upload_session.uuid)
      .concat(requiredQueries[id] ?? ''),
    ...(body !== undefined && { body }),
  }
}

export function send<Body>(
  caller: Caller,
  { method, path, body }: Request,
  headers: Record<string, string> = {},
): Promise<ApiResponse<Body>> {
  return caller.send<Body>(method, path, body, headers)
}

/** Calls every operation once and returns the responses. */
export async function callEveryOperation(caller: Caller, env: StackEnv = stackEnv()) {
  const responses = new Map<OperationId, ApiResponse<unknown>>()
  for (const id of tokenOperationIds) {
    responses.set(id, await send(caller, await validRequest(caller, id, env)))
  }
  return responses
}

/** Creates what the samples of the API reference need, and returns its identifiers as environment variables. */
import { randomUUID } from 'node:crypto'
import type { accessTokens, invitations, roles, signingKeys, tokens, webhooks } from '@reelkeep/contract'
import {
  type Caller,
  newMember,
  openSession,
  postForm,
  probedAsset,
  processAsset,
  type StackEnv,
  Superuser,
  uploadAsset,
} from '@reelkeep/testkit'
import type { Operation } from '../../site/src/api/openapi.ts'

export type Variables = Record<string, string>

/** Creates a resource for every identifier in the path of the operation. */
export async function variablesFor({ id, path }: Operation, caller: Caller, env: StackEnv): Promise<Variables> {
  const has = (name: string) => path.includes(`{${name}}`)
  return {
    ...(has('asset_id') && (await assetVariables(id, caller, env))),
    ...(has('session_uuid') && (await sessionVariables(id, caller))),
    ...(has('webhook_id') && !has('delivery_id') && (await webhookVariables(caller))),
    ...(has('delivery_id') && (await deliveryVariables(caller))),
    ...(has('folder_uuid') && (await folderVariables(caller))),
    ...(has('signing_key_id') && (await signingKeyVariables(caller))),
    ...(has('token_id') && (await tokenVariables(caller))),
    ...(has('member_id') && (await memberVariables(caller, env))),
    ...(has('invitation_id') && (await invitationVariables(caller))),
    ...(has('role_id') && (await roleVariables(caller))),
    ...(has('bulk_operation_id') && (await bulkOperationVariables(caller))),
  }
}

async function assetVariables(operation: string, caller: Caller, env: StackEnv): Promise<Variables> {
  if (operation === 'cancelAsset' || operation === 'retryAsset') return processingVariables(operation, caller)
  if (
    /^((create|activate)Version|setCover|createCoverUpload|createDownload|createClip|renderAsset|setTrim)$/.test(
      operation,
    )
  )
    return completedVariables(caller, env)
  const { asset } = await probedAsset(caller, {}, env)
  const inside = `assets/${asset.id}`
  return {
    ASSET_ID: asset.id,
    ...(/Chapter$/.test(operation) && { CHAPTER_ID: await addChapter(caller, inside) }),
    ...(/(read|replace|delete)Subtitle$|SubtitleVersions?$/.test(operation) && {
      ...{ SUBTITLE_ID: await addSubtitle(caller, inside), VERSION_NUMBER: '1' },
    }),
    ...(/(read|revoke)AccessToken$/.test(operation) && { ACCESS_TOKEN_ID: await addAccessToken(caller, inside) }),
  }
}

async function processingVariables(operation: string, caller: Caller): Promise<Variables> {
  const { asset } = await uploadAsset(caller)
  if (operation === 'retryAsset') await caller.post(`assets/${asset.id}/cancel/`)
  return { ASSET_ID: asset.id }
}

/** An asset whose file has been processed. */
async function completedVariables(caller: Caller, env: StackEnv): Promise<Variables> {
  const { asset } = await uploadAsset(caller)
  await processAsset({ organizationId: caller.organizationId, assetId: asset.id }, env)
  return { ASSET_ID: asset.id, VERSION_NUMBER: '1' }
}

async function addChapter(caller: Caller, asset: string): Promise<string> {
  type Added = { results: { id: number }[] }
  const chapters = [{ title: 'Opening', start_time: '00:00:05' }]
  const { body } = await caller.post<Added>(`${asset}/chapters/`, { chapters })
  return String(body.results[0]?.id)
}

async function addSubtitle(caller: Caller, asset: string): Promise<string> {
  const content = 'WEBVTT\n\n00:01.000 --> 00:02.000\nHello.\n'
  return (await caller.post<{ id: string }>(`${asset}/subtitles/`, { language: 'en', content })).body.id
}

const addAccessToken = async (caller: Caller, asset: string) =>
  (await caller.post<accessTokens.NewAccessToken>(`${asset}/access-tokens/`, {})).body.id

async function sessionVariables(operation: string, caller: Caller): Promise<Variables> {
  const opened = await openSession(caller)
  const { uuid } = opened.upload_session
  if (operation === 'completeUploadSession') await postForm(opened)
  if (operation === 'listUploadParts') {
    await caller.post(`assets/upload-sessions/${uuid}/parts/`, { file_size_bytes: 100, numbers: [1] })
  }
  return { SESSION_UUID: uuid }
}

async function webhookVariables(caller: Caller): Promise<Variables> {
  const { body } = await caller.post<webhooks.NewWebhook>('webhooks/', { url: 'https://receiver.example/' })
  return { WEBHOOK_ID: body.id }
}

/** A webhook with a delivery. */
async function deliveryVariables(caller: Caller): Promise<Variables> {
  const { WEBHOOK_ID = '' } = await webhookVariables(caller)
  const { body } = await caller.post<{ event_id: string }>(`webhooks/${WEBHOOK_ID}/test/`)
  return { WEBHOOK_ID, DELIVERY_ID: body.event_id }
}

async function folderVariables(caller: Caller): Promise<Variables> {
  const { body } = await caller.post<{ uuid: string }>('assets/folders/', { title: `Seminars ${randomUUID()}` })
  return { FOLDER_UUID: body.uuid }
}

async function signingKeyVariables(caller: Caller): Promise<Variables> {
  const { body } = await caller.post<signingKeys.NewSigningKey>('signing-keys/', { name: 'Shop' })
  return { SIGNING_KEY_ID: body.id }
}

async function tokenVariables(caller: Caller): Promise<Variables> {
  const { body } = await caller.post<tokens.NewToken>('tokens/', { name: 'Shop', scopes: ['assets:read'] })
  return { TOKEN_ID: body.id }
}

async function memberVariables(caller: Caller, env: StackEnv): Promise<Variables> {
  await using superuser = await Superuser.open(env)
  return { MEMBER_ID: (await newMember(superuser, caller, { role: 'viewer', scopes: ['assets:read'] })).id }
}

async function invitationVariables(caller: Caller): Promise<Variables> {
  const { body } = await caller.post<invitations.NewInvitation>('invitations/', {
    email: `${randomUUID()}@example.org`,
    role: 'viewer',
  })
  return { INVITATION_ID: body.id }
}

async function roleVariables(caller: Caller): Promise<Variables> {
  const { body } = await caller.post<roles.Role>('roles/', { name: 'Subtitler', scopes: ['assets:read'] })
  return { ROLE_ID: body.id }
}

async function bulkOperationVariables(caller: Caller): Promise<Variables> {
  const body = { action: 'retry', ids: [randomUUID()] }
  return { BULK_OPERATION_ID: (await caller.post<{ id: string }>('bulk-operations/', body)).body.id }
}

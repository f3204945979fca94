/** An upload token against every operation of the contract: it can upload the file of its own session, nothing else. */
import type { Problem, uploadSessions } from '@reelkeep/contract'
import { type Caller, openSession, postForm, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { describe, expect, it } from 'vitest'
import {
  type OperationId,
  operationIds,
  operationOf,
  type Request,
  send,
  validRequest,
} from '../errors/every-operation.ts'

const testApi = await opened(TestApi.open())
const caller = await testApi.newOrganization()

/** All that an upload token can do. An operation that is added to the contract must be refused. */
const allowed: readonly OperationId[] = [
  'readUploadSession',
  'cancelUploadSession',
  'renewUploadSession',
  'signUploadParts',
  'listUploadParts',
  'completeUploadSession',
]

async function openWithToken() {
  const session = await openSession(caller, { upload_token: true })
  return { session, holder: caller.withToken(session.upload_token ?? '') }
}

/** The request for the asset or session of the upload token, if the operation is about one. */
function aboutOwn(request: Request, { asset, upload_session }: uploadSessions.NewUploadSession): Request {
  const uuid = '[0-9a-f]{8}-[0-9a-f-]{27}'
  const path = request.path
    .replace(new RegExp(`^assets/upload-sessions/${uuid}/`), `assets/upload-sessions/${upload_session.uuid}/`)
    .replace(new RegExp(`^assets/${uuid}/`), `assets/${asset.id}/`)
  return { ...request, path }
}

async function expectRefused(holder: Caller, request: Request): Promise<void> {
  const { status, body } = await send<Problem>(holder, request)
  expect([status, body.code]).toEqual([403, 'insufficient_scope'])
  if (request.method !== 'GET') return
  expect((await holder.send('HEAD', request.path)).status).toBe(403)
}

describe('an upload token', () => {
  it.each(operationIds)('is refused by %s for other sessions and assets of the organization', async (id) => {
    const { holder } = await openWithToken()
    await expectRefused(holder, await validRequest(caller, id))
  })

  it.each(operationIds.filter((id) => !allowed.includes(id)))('is refused by %s for its own asset', async (id) => {
    const { session, holder } = await openWithToken()
    await expectRefused(holder, aboutOwn(await validRequest(caller, id), session))
  })

  it.each(allowed)('is accepted by %s for its own session', async (id) => {
    const { session, holder } = await openWithToken()
    const path = `assets/upload-sessions/${session.upload_session.uuid}/`
    if (id === 'listUploadParts') await holder.post(`${path}parts/`, { file_size_bytes: 20_000_000, numbers: [1] })
    if (id === 'completeUploadSession') await postForm(session)
    const { status, text } = await send(holder, aboutOwn(await validRequest(caller, id), session))
    expect(status, text).toBe(operationOf(id).success.status)
  })

  it('is refused at the path of another organization with the error for unknown organizations', async () => {
    const { session, holder } = await openWithToken()
    const other = await testApi.newOrganization()
    const path = `assets/upload-sessions/${session.upload_session.uuid}/`
    const { status, body } = await holder.at(other.organizationId).get(path)
    expect([status, body.code]).toEqual([404, 'organization_not_found'])
  })
})

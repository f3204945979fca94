import type { assets, uploadSessions } from '@reelkeep/contract'
import { HttpProxy, openSession, postForm, stackEnv, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'

const env = stackEnv()
const storageProxy = await opened(HttpProxy.open(env.STORAGE_ENDPOINT))
const testApi = await opened(
  TestApi.open({
    STORAGE_ENDPOINT: storageProxy.url,
    STORAGE_PUBLIC_ENDPOINT: env.STORAGE_ENDPOINT,
  }),
)
beforeEach(() => storageProxy.reset())

type Opened = uploadSessions.NewUploadSession
const pathOf = ({ upload_session }: Opened) => `assets/upload-sessions/${upload_session.uuid}/`

/** The session and the asset as their own endpoints return them. */
async function read(caller: Awaited<ReturnType<typeof testApi.newOrganization>>, session: Opened) {
  const { body: details } = await caller.get<uploadSessions.UploadSessionDetails>(pathOf(session))
  const { body: asset } = await caller.get<assets.Asset>(`assets/${session.asset.id}/`)
  return { ...details, asset }
}

describe('200: complete/', () => {
  it('returns the session and its asset, also for a repeated request', async () => {
    const caller = await testApi.newOrganization()
    const session = await openSession(caller)
    await postForm(session)
    const first = await caller.post(`${pathOf(session)}complete/`)
    expect(first).toMatchObject({ status: 200, body: { status: 'Completed' } })
    expect(first.body).toEqual(await read(caller, session))
    await caller.patch(`assets/${session.asset.id}/`, { title: 'Renamed' })
    const second = await caller.post<uploadSessions.CompletedUploadSession>(`${pathOf(session)}complete/`)
    expect(second.body).toEqual(await read(caller, session))
    expect(second.body.asset.title).toBe('Renamed')
  })

  it('returns the asset to a token that may write but not read', async () => {
    const caller = await testApi.newOrganization('assets:write')
    const session = await openSession(caller)
    await postForm(session)
    const { body } = await caller.post(`${pathOf(session)}complete/`)
    expect(body).toMatchObject({ asset: { id: session.asset.id, video: { status: 'Queued' } } })
    expect((await caller.get(`assets/${session.asset.id}/`)).status).toBe(403)
  })

  it('sends one request to storage, and none if the call is repeated', async () => {
    const caller = await testApi.newOrganization()
    const session = await openSession(caller)
    await postForm(session)
    await caller.post(`${pathOf(session)}complete/`)
    // Count only requests for the asset: the service also checks its buckets when it starts.
    const requestsForAsset = () => storageProxy.requests.filter(({ path }) => path.includes(session.asset.id))
    expect(requestsForAsset()).toMatchObject([{ method: 'GET', path: expect.stringContaining('versions') }])
    storageProxy.reset()
    await caller.post(`${pathOf(session)}complete/`)
    expect(requestsForAsset()).toEqual([])
  })
})

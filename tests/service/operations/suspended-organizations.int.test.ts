/**
 * Tests the responses to clients and viewers while their organization is suspended, and after it has been migrated
 * away. `write-block.int.test.ts` tests that nothing is written.
 */
import type { tokens } from '@reelkeep/contract'
import type { OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { markMigratedAway, resumeOrganization } from '@reelkeep/server/modules/suspension/suspension.ts'
import { type Caller, openOwner, PlaybackFixture, Superuser, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'
import { operationOf, send, tokenOperationIds, validRequest } from '../errors/every-operation.ts'

const superuser = await opened(Superuser.open())
const owner = await opened(Promise.resolve(openOwner()))
const testApi = await opened(TestApi.open({ EVENT_STREAM_SECONDS: '3600' }))
const fixture = await opened(PlaybackFixture.open())

/** Suspends the organization without waiting for other writers, because other tests share this database. */
const suspend = ({ organizationId }: Caller) =>
  superuser.query('insert into held_organizations (organization_id) values ($1)', [organizationId])
const release = ({ organizationId }: Caller) => resumeOrganization(owner, organizationId as OrganizationId)
const leave = async (caller: Caller) => {
  await suspend(caller)
  await markMigratedAway(owner, caller.organizationId as OrganizationId)
}

let caller: Caller
beforeEach(async () => {
  caller = await testApi.newOrganization()
})

const unavailable = {
  status: 503,
  body: {
    code: 'unavailable',
    detail: 'This organization is suspended or being moved. Retry in 1 second.',
  },
}

/**
 * Operations whose test request changes nothing and so succeeds: it moves the asset to its current folder, activates
 * the version that is shown, proposes chapters, or creates a link, which cannot be used until the suspension ends.
 */
const harmless: readonly string[] = ['moveAsset', 'activateVersion', 'createDownload', 'proposeChapters']

describe('while an organization is suspended', () => {
  const isRead = (id: (typeof tokenOperationIds)[number]) => operationOf(id).method === 'GET' || harmless.includes(id)
  // A request for the event stream resolves only when the stream ends, so it has its own test below.
  const reads = tokenOperationIds.filter((id) => isRead(id) && id !== 'streamEvents')
  const writes = tokenOperationIds.filter((id) => !isRead(id))

  it.each(reads)('the operation %s succeeds', async (id) => {
    const request = await validRequest(caller, id)
    await suspend(caller)
    expect((await send(caller, request)).status).toBe(operationOf(id).success.status)
  })

  it.each(writes)('the operation %s is temporarily unavailable, and succeeds after the suspension', async (id) => {
    const request = await validRequest(caller, id)
    await suspend(caller)
    const response = await send(caller, request)
    expect(response).toMatchObject(unavailable)
    expect(response.headers['retry-after']).toBe('1')
    await release(caller)
    expect((await send(caller, request)).status).toBe(operationOf(id).success.status)
  })

  it('a stored response is returned for its idempotency key, and a rejected request can be repeated later', async () => {
    const create = (title: string) =>
      caller.post<{ uuid: string }>('assets/folders/', { title }, { 'idempotency-key': title })
    const before = await create('before')
    await suspend(caller)
    const again = await create('before')
    expect([again.status, again.body]).toEqual([201, before.body])
    expect(await create('meanwhile')).toMatchObject(unavailable)
    await release(caller)
    expect((await create('meanwhile')).status).toBe(201)
  })

  it('the event log can be read, even if events wait to be sequenced', async () => {
    await caller.post('assets/folders/', { title: 'recorded' })
    const read = () => caller.get<{ results: unknown[] }>('events/')
    await expect.poll(async () => (await read()).body.results.length).toBeGreaterThan(0)
    const { length } = (await read()).body.results
    await suspend(caller)
    await superuser.query(
      `insert into event_outbox (organization_id, type, subject, data) values ($1, 'folder.created', 'late', '{}')`,
      [caller.organizationId],
    )
    const response = await read()
    expect([response.status, response.body.results.length]).toEqual([200, length])
  })

  it('a token that is used for the first time can read', async () => {
    const created = await caller.post<tokens.NewToken>('tokens/', { name: 'new', scopes: ['*'] })
    await suspend(caller)
    expect((await caller.withToken(created.body.token).get('assets/folders/')).status).toBe(200)
  })
})

describe('after an organization has been migrated away', () => {
  it('no request succeeds once the caches have expired', async () => {
    expect((await caller.get('assets/folders/')).status).toBe(200)
    await leave(caller)
    await expect.poll(() => caller.get('assets/folders/')).toMatchObject(unavailable)
    expect(await caller.post('assets/folders/', { title: 'late' })).toMatchObject(unavailable)
  })

  it('a stream of events ends early, and a new one is rejected', async () => {
    // The request resolves when the stream has ended.
    const stream = caller.get('events/stream/')
    await expect.poll(() => openStreams()).toBe(1)
    await leave(caller)
    expect((await stream).status).toBe(200)
    expect(await caller.get('events/stream/')).toMatchObject(unavailable)
  })

  it('no video is played, no page is shown, and the edge gets no authorization', async () => {
    await fixture.begin()
    await fixture.publishOpening()
    const { organizationId, assetId } = fixture.place
    await superuser.query('update organizations set is_open = true where id = $1', [organizationId])
    const { PUBLIC_URL: publicUrl } = fixture.testApi.context.config
    const video = `open/${organizationId}/${assetId}`
    const paths = [
      `/play/${video}/${fixture.small0}`,
      `/play/${video}/master.m3u8`,
      `/play-access/${video}/`,
      `/oembed?url=${encodeURIComponent(`${publicUrl}/embed/${organizationId}/${assetId}/`)}`,
    ]
    const statuses = () => Promise.all(paths.map(statusOf))
    await expect.poll(statuses).toEqual([200, 200, 204, 200])
    await suspend(fixture.caller)
    expect(await statuses()).toEqual([200, 200, 204, 200])
    await markMigratedAway(owner, organizationId as OrganizationId)
    await expect.poll(statuses).toEqual([503, 503, 503, 503])
  })
})

const openStreams = () => testApi.context.streams.openCount

async function statusOf(path: string): Promise<number> {
  const sent = { method: 'GET', path, headers: {}, body: undefined } as const
  return (await fixture.testApi.send(sent)).status
}

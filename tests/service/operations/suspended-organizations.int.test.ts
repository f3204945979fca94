/**
 * How callers and viewers are answered while their organization is suspended, or after it has been migrated away.
 * `holds.int.test.ts` checks that nothing is written.
 */
import type { tokens } from '@reelkeep/contract'
import type { OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import {
  markMigratedAway,
  resumeOrganization,
} from '@reelkeep/server/modules/suspension/suspension.ts'
import { type Caller, openOwner, PlaybackFixture, Superuser, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'
import { operationIds, operationOf, send, validRequest } from '../errors/every-operation.ts'

const superuser = await opened(Superuser.open())
const owner = await opened(Promise.resolve(openOwner()))
const testApi = await opened(TestApi.open({ EVENT_STREAM_SECONDS: '3600' }))
const fixture = await opened(PlaybackFixture.open())

/** Does not wait for other writers, because other tests share this database. */
const hold = ({ organizationId }: Caller) =>
  superuser.query('insert into held_organizations (organization_id) values ($1)', [organizationId])
const release = ({ organizationId }: Caller) =>
  resumeOrganization(owner, organizationId as OrganizationId)
const leave = async (caller: Caller) => {
  await hold(caller)
  await markMigratedAway(owner, caller.organizationId as OrganizationId)
}

let caller: Caller
beforeEach(async () => {
  caller = await testApi.newOrganization()
})

const refusal = {
  status: 503,
  body: {
    code: 'unavailable',
    detail: 'This organization is being moved. Retry in 1 second.',
  },
}

/** The request moves the asset to the folder it is in: nothing changes, so nothing is refused. */
const harmless: readonly string[] = ['moveAsset']

describe('while an organization is suspended', () => {
  const isRead = (id: (typeof operationIds)[number]) =>
    operationOf(id).method === 'GET' || harmless.includes(id)
  // A stream is answered when it has ended: see below.
  const reads = operationIds.filter((id) => isRead(id) && id !== 'streamEvents')
  const writes = operationIds.filter((id) => !isRead(id))

  it.each(reads)('%s answers as before', async (id) => {
    const request = await validRequest(caller, id)
    await hold(caller)
    expect((await send(caller, request)).status).toBe(operationOf(id).success.status)
  })

  it.each(writes)('%s is refused temporarily, and succeeds after the suspension', async (id) => {
    const request = await validRequest(caller, id)
    await hold(caller)
    const answer = await send(caller, request)
    expect(answer).toMatchObject(refusal)
    expect(answer.headers['retry-after']).toBe('1')
    await release(caller)
    expect((await send(caller, request)).status).toBe(operationOf(id).success.status)
  })

  it('a request answered before is answered again under its idempotency key, and a refused one may be repeated', async () => {
    const create = (title: string) =>
      caller.post<{ uuid: string }>('assets/folders/', { title }, { 'idempotency-key': title })
    const before = await create('before')
    await hold(caller)
    const again = await create('before')
    expect([again.status, again.body]).toEqual([201, before.body])
    expect(await create('meanwhile')).toMatchObject(refusal)
    await release(caller)
    expect((await create('meanwhile')).status).toBe(201)
  })

  it('the log can be read, even if events wait to be sequenced', async () => {
    await caller.post('assets/folders/', { title: 'told' })
    const read = () => caller.get<{ results: unknown[] }>('events/')
    await expect.poll(async () => (await read()).body.results.length).toBeGreaterThan(0)
    const { length } = (await read()).body.results
    await hold(caller)
    await superuser.query(
      `insert into event_outbox (organization_id, type, subject, data) values ($1, 'folder.created', 'late', '{}')`,
      [caller.organizationId],
    )
    const answer = await read()
    expect([answer.status, answer.body.results.length]).toEqual([200, length])
  })

  it('a token that was never used before can read', async () => {
    const made = await caller.post<tokens.NewToken>('tokens/', { name: 'new', scopes: ['*'] })
    await hold(caller)
    expect((await caller.withToken(made.body.token).get('assets/folders/')).status).toBe(200)
  })
})

describe('after an organization has been migrated away', () => {
  it('no request succeeds once the caches have expired', async () => {
    expect((await caller.get('assets/folders/')).status).toBe(200)
    await leave(caller)
    await expect.poll(() => caller.get('assets/folders/')).toMatchObject(refusal)
    expect(await caller.post('assets/folders/', { title: 'late' })).toMatchObject(refusal)
  })

  it('a stream of events ends early, and a new one is refused', async () => {
    // Resolves when the stream has ended.
    const stream = caller.get('events/stream/')
    await expect.poll(() => openStreams()).toBe(1)
    await leave(caller)
    expect((await stream).status).toBe(200)
    expect(await caller.get('events/stream/')).toMatchObject(refusal)
  })

  it('no video is played, no page is shown, and the edge gets no authorization', async () => {
    await fixture.begin()
    await fixture.publishOpening()
    const { organizationId, assetId } = fixture.place
    await superuser.query('update organizations set is_open = true where id = $1', [organizationId])
    const { PUBLIC_URL: publicUrl } = fixture.testApi.context.config
    const place = `open/${organizationId}/${assetId}`
    const addresses = [
      `/play/${place}/${fixture.small0}`,
      `/play/${place}/master.m3u8`,
      `/play-access/${place}/`,
      `/oembed?url=${encodeURIComponent(`${publicUrl}/embed/${organizationId}/${assetId}/`)}`,
    ]
    const statuses = () => Promise.all(addresses.map(statusOf))
    await expect.poll(statuses).toEqual([200, 200, 204, 200])
    await hold(fixture.caller)
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

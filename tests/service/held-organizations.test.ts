/**
 * What callers and viewers meet while their organization is held, or gone. That nothing is written
 * meanwhile is in `holds.db.test.ts`.
 */
import type { tokens } from '@reelkeep/contract'
import { markGone, releaseOrganization } from '@reelkeep/server/capabilities/holds/holds.ts'
import type { OrganizationId } from '@reelkeep/server/kernel/ids.ts'
import { type Caller, openOwner, PlaybackStage, Superuser, World } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'
import { operationIds, operationOf, send, validRequest } from './every-operation.ts'

const superuser = await opened(Superuser.open())
const owner = await opened(Promise.resolve(openOwner()))
const world = await opened(World.open({ EVENT_STREAM_SECONDS: '60' }))
const stage = await opened(PlaybackStage.open())

/** Without waiting for everybody who writes: this database is not only ours. */
const hold = ({ organizationId }: Caller) =>
  superuser.query('insert into held_organizations (organization_id) values ($1)', [organizationId])
const release = ({ organizationId }: Caller) =>
  releaseOrganization(owner, organizationId as OrganizationId)
const leave = async (caller: Caller) => {
  await hold(caller)
  await markGone(owner, caller.organizationId as OrganizationId)
}

let caller: Caller
beforeEach(async () => {
  caller = await world.newOrganization()
})

const refusal = {
  status: 503,
  body: {
    code: 'unavailable',
    detail: 'This organization is being moved. Please repeat the request in a moment.',
  },
}

/** The request moves it to where it lies: nothing is changed, so nothing is refused. */
const harmless: readonly string[] = ['moveAsset']

describe('of a held organization', () => {
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

  it.each(writes)('%s is refused for a moment, and done when it is released', async (id) => {
    const request = await validRequest(caller, id)
    await hold(caller)
    const answer = await send(caller, request)
    expect(answer).toMatchObject(refusal)
    expect(answer.headers['retry-after']).toBe('1')
    await release(caller)
    expect((await send(caller, request)).status).toBe(operationOf(id).success.status)
  })

  it('a request that was answered before is answered again under its key, and one that was refused may be repeated', async () => {
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

  it('the log is read as far as it goes, though events wait for their numbers', async () => {
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

  it('a token that was never used before reads', async () => {
    const made = await caller.post<tokens.NewToken>('tokens/', { name: 'new', scopes: ['*'] })
    await hold(caller)
    expect((await caller.withToken(made.body.token).get('assets/folders/')).status).toBe(200)
  })
})

/** As long as anything is remembered, and as much again for a machine that has other things to do. */
const soon = { timeout: 4000, interval: 50 }

describe('of an organization that is gone', () => {
  it('nothing is answered, once nobody remembers otherwise', async () => {
    expect((await caller.get('assets/folders/')).status).toBe(200)
    await leave(caller)
    await expect.poll(() => caller.get('assets/folders/'), soon).toMatchObject(refusal)
    expect(await caller.post('assets/folders/', { title: 'late' })).toMatchObject(refusal)
  })

  it('a stream of events ends, and another is not begun', async () => {
    const stream = caller.get('events/stream/')
    // It has begun when what happens is told on it; the answer is had when it has ended.
    await expect.poll(() => openStreams()).toBe(1)
    const began = performance.now()
    await leave(caller)
    expect((await stream).status).toBe(200)
    // Not by the look that is taken every five seconds.
    expect(performance.now() - began).toBeLessThan(4000)
    expect(await caller.get('events/stream/')).toMatchObject(refusal)
  })

  it('no video is played, no page shown, and no edge told that it may', async () => {
    await stage.begin()
    await stage.publishOpening()
    const { organizationId, assetId } = stage.place
    await superuser.query('update organizations set is_open = true where id = $1', [organizationId])
    const { PUBLIC_URL: publicUrl } = stage.world.context.config
    const place = `open/${organizationId}/${assetId}`
    const addresses = [
      `/play/${place}/${stage.small0}`,
      `/play/${place}/master.m3u8`,
      `/play-access/${place}/`,
      `/oembed?url=${encodeURIComponent(`${publicUrl}/embed/${organizationId}/${assetId}/`)}`,
    ]
    const statuses = () => Promise.all(addresses.map(statusOf))
    await expect.poll(statuses, { timeout: 3000 }).toEqual([200, 200, 204, 200])
    await hold(stage.caller)
    expect(await statuses()).toEqual([200, 200, 204, 200])
    await markGone(owner, organizationId as OrganizationId)
    await expect.poll(statuses, soon).toEqual([503, 503, 503, 503])
  })
})

const openStreams = () => world.context.streams.openCount

async function statusOf(path: string): Promise<number> {
  const sent = { method: 'GET', path, headers: {}, body: undefined } as const
  return (await stage.world.send(sent)).status
}

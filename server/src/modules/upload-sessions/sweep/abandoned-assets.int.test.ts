/** Sessions that ended without a file: lists hide their assets, and the sweep deletes both some days later. */
import type { assets, uploadSessions, versions } from '@reelkeep/contract'
import {
  type Caller,
  formOf,
  openSession,
  openUploadFixture,
  postByFetch,
  postForm,
  uploadAsset,
} from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const fixture = await opened(openUploadFixture('abandoned'))
let caller: Caller
beforeEach(async () => {
  caller = await fixture.testApi.newOrganization()
})
afterEach(() => fixture.reset())

type Opened = uploadSessions.NewUploadSession

const HOUR = 3600
const DAY = 24 * HOUR
/** With default settings, a session closes 18 hours after it was created. */
const CLOSES = 18 * HOUR

const pathOf = ({ upload_session }: Opened) => `assets/upload-sessions/${upload_session.uuid}/`

/** Lets the time pass and sweeps until nothing is due. */
async function pass(session: Opened, seconds: number): Promise<void> {
  await fixture.pass(seconds, session.upload_session.uuid)
  for (;;) {
    const { checks, failed } = await fixture.sweep()
    expect(failed).toEqual([])
    if (checks === 0) return
  }
}

async function isThere(session: Opened): Promise<boolean> {
  const asset = await caller.get(`assets/${session.asset.id}/`)
  const read = await caller.get(pathOf(session))
  expect(read.status).toBe(asset.status)
  return asset.status === 200
}

const endings: Record<string, (session: Opened) => Promise<unknown>> = {
  Cancelled: (session) => caller.delete(pathOf(session)),
  Expired: (session) => pass(session, CLOSES),
  Failed: async ({ client_payload, ...session }) => {
    await postByFetch(formOf(client_payload, Buffer.from('x')))
    await caller.post(`${pathOf({ client_payload, ...session })}complete/`)
  },
}

async function ended(status: string): Promise<Opened> {
  const session = await openSession(caller)
  await endings[status]?.(session)
  const { body } = await caller.get<uploadSessions.UploadSessionDetails>(pathOf(session))
  expect(body.status).toBe(status)
  return session
}

describe('a session of a new version that ended without a file', () => {
  it.each(Object.keys(endings))(
    'and is %s is deleted with the version after seven days; the asset stays',
    async (status) => {
      const { asset } = await uploadAsset(caller)
      await fixture.superuser.query(`update assets set status = 'Completed' where id = $1`, [asset.id])
      const before = (await caller.get<assets.Asset>(`assets/${asset.id}/`)).body
      const { body: session } = await caller.post<versions.NewVersion>(`assets/${asset.id}/versions/`, {})
      await endings[status]?.(session)
      const list = () => caller.get<{ results: versions.Version[] }>(`assets/${asset.id}/versions/`)
      expect((await list()).body.results[0]).toMatchObject({ number: 2, error: { code: expect.any(String) } })
      await pass(session, CLOSES)
      await pass(session, 7 * DAY)
      expect((await list()).body.results.map(({ number }) => number)).toEqual([1])
      expect((await caller.get(pathOf(session))).status).toBe(404)
      const after = (await caller.get<assets.Asset>(`assets/${asset.id}/`)).body
      expect({ ...after, video: after.video.status }).toEqual({ ...before, video: before.video.status })
    },
  )
  it('is not locked while the sweep waits for the asset, whose deletion locks them in that order', async () => {
    const { asset } = await uploadAsset(caller)
    await fixture.superuser.query(`update assets set status = 'Completed' where id = $1`, [asset.id])
    const { body: session } = await caller.post<versions.NewVersion>(`assets/${asset.id}/versions/`, {})
    await endings['Cancelled']?.(session)
    await pass(session, CLOSES)
    await fixture.pass(7 * DAY, session.upload_session.uuid)
    await using deletion = await fixture.openSuperuser()
    const [{ pid } = {}] = await deletion.query<{ pid: number }>('select pg_backend_pid() as pid')
    await deletion.query('begin')
    await deletion.query('select from assets where id = $1 for update', [asset.id])
    const sweeping = fixture.sweep()
    const waiting = 'select from pg_stat_activity where $1 = any (pg_blocking_pids(pid))'
    await expect.poll(() => fixture.superuser.query(waiting, [pid])).toHaveLength(1)
    const lock = 'select id from assets where version_of = $1 for update nowait'
    expect(await deletion.query(lock, [asset.id])).toHaveLength(1)
    await deletion.query('rollback')
    expect(await sweeping).toMatchObject({ failed: [] })
  })
})

describe('a session that ended without a file', () => {
  it.each(Object.keys(endings))('and is %s is deleted with its asset after seven days', async (status) => {
    const session = await ended(status)
    await pass(session, CLOSES)
    await pass(session, 6 * DAY)
    expect(await isThere(session)).toBe(true)
    await pass(session, DAY)
    expect(await isThere(session)).toBe(false)
    const { body } = await caller.get<{ results: { type: string }[] }>(`events/?asset_id=${session.asset.id}`)
    expect(body.results.at(-1)?.type).toBe('asset.deleted')
    expect((await caller.get<{ count: number }>('assets/')).body.count).toBe(0)
  })

  it('is deleted after the number of days that is set for the organization', async () => {
    const session = await ended('Cancelled')
    await fixture.setAbandonedDays(caller.organizationId, 30)
    await pass(session, 29 * DAY)
    expect(await isThere(session)).toBe(true)
    await pass(session, DAY)
    expect(await isThere(session)).toBe(false)
  })

  it('is deleted when it closes and not before if the number of days is 0', async () => {
    await fixture.setAbandonedDays(caller.organizationId, 0)
    const session = await ended('Cancelled')
    await pass(session, CLOSES - HOUR)
    expect(await isThere(session)).toBe(true)
    await pass(session, HOUR)
    expect(await isThere(session)).toBe(false)
  })

  it('is completed instead if a late file is found when it would be deleted', async () => {
    const session = await ended('Expired')
    const late = await openSession(caller)
    // The form of the expired session can no longer be used, so the file is posted with a form of another one.
    await fixture.superuser.query(
      `update upload_sessions as session set expires_at = past.expires_at, closes_at = past.closes_at,
         ended_at = now(), status = 'Expired'
       from upload_sessions as past where past.uuid = $1 and session.uuid = $2`,
      [session.upload_session.uuid, late.upload_session.uuid],
    )
    expect(await postForm(late)).toBe(204)
    await pass(late, 8 * DAY)
    expect(await isThere(late)).toBe(true)
    const { body } = await caller.get<assets.Asset>(`assets/${late.asset.id}/`)
    expect(body.video).toMatchObject({ status: 'Queued', error: null })
  })
})

it('a completed session is never deleted', async () => {
  const session = await uploadAsset(caller)
  await pass(session, CLOSES)
  await pass(session, 400 * DAY)
  expect(await isThere(session)).toBe(true)
})

/** Events about folders. */
import type { Caller } from '@reelkeep/testkit'
import { Superuser, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { type EventLogReader, newEventRecorder } from './recorded-events.ts'

type Folder = { uuid: string; title: string }

const FOLDERS = 'assets/folders/'
const testApi = await opened(TestApi.open())
const superuser = await opened(Superuser.open())

const recorder = newEventRecorder()
let caller: Caller
let eventLog: EventLogReader
beforeEach(async () => {
  caller = await testApi.newOrganization()
  eventLog = await recorder.open(caller)
})

afterAll(() => expect(recorder.unseenTypes('folder')).toEqual([]))

const create = async (title: string, parent?: Folder, headers = {}): Promise<Folder> =>
  (await caller.post<Folder>(FOLDERS, { title, parent: parent?.uuid ?? null }, headers)).body

const folderEvents = async () =>
  (await eventLog.next()).map(({ type, data }) => {
    const { title, parent } = data as { title: string; parent: string | null }
    return [type, title, parent]
  })

describe('events about a folder', () => {
  it('are recorded for its creation, at the root and in another folder', async () => {
    const outer = await create('Outer')
    await create('Inner', outer)
    expect(await folderEvents()).toEqual([
      ['folder.created', 'Outer', null],
      ['folder.created', 'Inner', outer.uuid],
    ])
  })

  it('have all its fields, and are recorded for its organization only', async () => {
    const neighbour = await recorder.open(await testApi.newOrganization())
    const { uuid } = await create('Talks')
    expect(await eventLog.next()).toMatchObject([{ asset_id: null, data: { uuid, title: 'Talks', parent: null } }])
    expect(await neighbour.next()).toEqual([])
  })

  it('are recorded once, even if its creation has to wait for a lock on the folder tree', async () => {
    await superuser.query('begin')
    await superuser.query('select pg_advisory_xact_lock(hashtextextended($1, 3))', [caller.organizationId])
    const creation = create('Late')
    await expect.poll(() => waitingForTree(caller.organizationId)).toBe(1)
    expect(await eventLog.nextTypes()).toEqual([])
    await superuser.query('commit')
    await creation
    expect(await eventLog.nextTypes()).toEqual(['folder.created'])
  })

  it('have its current title or parent when it is renamed or moved', async () => {
    const [outer, inner] = [await create('Outer'), await create('Inner')]
    await eventLog.next()
    await caller.patch(`${FOLDERS}${inner.uuid}/`, { title: 'Within' })
    await caller.post(`${FOLDERS}${inner.uuid}/move/`, { parent: outer.uuid })
    await caller.patch(`${FOLDERS}${inner.uuid}/`, { title: 'Deeper' })
    expect(await folderEvents()).toEqual([
      ['folder.updated', 'Within', null],
      ['folder.updated', 'Within', outer.uuid],
      ['folder.updated', 'Deeper', outer.uuid],
    ])
  })

  it('report its deletion after the deletion of all its contents', async () => {
    const outer = await create('Outer')
    const middle = await create('Middle', outer)
    await create('Inner', middle)
    await create('Beside', outer)
    await eventLog.next()
    await caller.delete(`${FOLDERS}${outer.uuid}/?recursive=true`)
    expect(await folderEvents()).toEqual([
      ['folder.deleted', 'Inner', middle.uuid],
      ['folder.deleted', 'Beside', outer.uuid],
      ['folder.deleted', 'Middle', outer.uuid],
      ['folder.deleted', 'Outer', null],
    ])
  })

  it('report its restore and its purge', async () => {
    const folder = await create('Folder')
    await caller.delete(`${FOLDERS}${folder.uuid}/`)
    await eventLog.next()
    await caller.post(`${FOLDERS}${folder.uuid}/restore/`, {})
    await caller.delete(`${FOLDERS}${folder.uuid}/`)
    await caller.delete(`${FOLDERS}${folder.uuid}/?permanently=true`)
    expect(await folderEvents()).toEqual([
      ['folder.restored', 'Folder', null],
      ['folder.deleted', 'Folder', null],
      ['folder.purged', 'Folder', null],
    ])
  })
})

describe('no folder event is recorded', () => {
  it('for a change without effect', async () => {
    const outer = await create('Outer')
    const inner = await create('Inner', outer)
    await eventLog.next()
    await caller.patch(`${FOLDERS}${inner.uuid}/`, { title: ' Inner ' })
    await caller.post(`${FOLDERS}${inner.uuid}/move/`, { parent: outer.uuid })
    await caller.post(`${FOLDERS}${outer.uuid}/move/`, { parent: null })
    expect(await eventLog.next()).toEqual([])
  })

  it('for a rejected request', async () => {
    const outer = await create('Outer')
    const inner = await create('Inner', outer)
    await eventLog.next()
    const rejected = await Promise.all([
      caller.post(FOLDERS, { title: '' }),
      caller.post(FOLDERS, { title: 'x', parent: '11111111111' }),
      caller.patch(`${FOLDERS}11111111111/`, { title: 'x' }),
      caller.post(`${FOLDERS}${outer.uuid}/move/`, { parent: inner.uuid }),
      caller.delete(`${FOLDERS}${outer.uuid}/`),
      (await testApi.newOrganization()).delete(`${FOLDERS}${inner.uuid}/`),
    ])
    expect(rejected.map(({ status }) => status)).toEqual([400, 400, 404, 400, 409, 404])
    expect(await eventLog.next()).toEqual([])
  })

  it('again for a request repeated with its idempotency key', async () => {
    const key = { 'idempotency-key': 'once' }
    const [first, second] = [await create('Once', undefined, key), await create('Once', undefined, key)]
    expect(second).toEqual(first)
    expect(await eventLog.nextTypes()).toEqual(['folder.created'])
  })
})

/** Number of transactions waiting to change the folder tree of the organization. */
async function waitingForTree(organizationId: string): Promise<number> {
  const [row] = await superuser.query<{ count: number }>(
    `select count(*)::int as count from pg_locks
     where locktype = 'advisory' and not granted
       and (classid::bigint << 32 | objid::bigint) = hashtextextended($1, 3)`,
    [organizationId],
  )
  return row?.count ?? 0
}

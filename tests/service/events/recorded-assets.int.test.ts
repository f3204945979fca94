/** Events about assets that callers rename, move and delete. */
import { type Caller, openSession, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { beforeEach, describe, expect, it } from 'vitest'
import { type EventLogReader, newEventRecorder } from './recorded-events.ts'

const testApi = await opened(TestApi.open())

const recorder = newEventRecorder()
let caller: Caller
let eventLog: EventLogReader
beforeEach(async () => {
  caller = await testApi.newOrganization()
  eventLog = await recorder.open(caller)
})

type Named = { title: string; parent_id: string | null }

const newFolder = async (title: string, parent: string | null = null): Promise<string> =>
  (await caller.post<{ uuid: string }>('assets/folders/', { title, parent })).body.uuid

const newAsset = async (more: object = {}): Promise<string> => (await openSession(caller, more)).asset.id

describe('events of an asset', () => {
  it('have its current title or folder when it is renamed or moved', async () => {
    const [id, folder] = [await newAsset(), await newFolder('Talks')]
    await eventLog.next()
    await caller.patch(`assets/${id}/`, { title: 'Renamed' })
    await caller.post(`assets/${id}/move/`, { folder })
    await caller.post(`assets/${id}/move/`, { folder: null })
    const events = await eventLog.next()
    expect(events.map(({ type, asset_id }) => [type, asset_id])).toEqual(Array(3).fill(['asset.updated', id]))
    expect(events.map(({ data }) => [(data as Named).title, (data as Named).parent_id])).toEqual([
      ['Renamed', null],
      ['Renamed', folder],
      ['Renamed', null],
    ])
  })

  it('have its last state when it is deleted', async () => {
    const id = await newAsset({ title: 'Doomed' })
    await eventLog.next()
    await caller.delete(`assets/${id}/`)
    expect(await eventLog.next()).toMatchObject([
      { type: 'asset.deleted', asset_id: id, data: { id, title: 'Doomed', status: 'Not Started' } },
    ])
  })

  it('come before those of the folders when it is deleted with its folders', async () => {
    const outer = await newFolder('Outer')
    const inner = await newFolder('Inner', outer)
    await newAsset({ title: 'Beside' })
    const ids = [await newAsset({ folder: outer }), await newAsset({ folder: inner })]
    await eventLog.next()
    await caller.delete(`assets/folders/${outer}/?recursive=true`)
    const events = await eventLog.next()
    expect(events.map(({ type }) => type)).toEqual([
      ...Array(2).fill('asset.deleted'),
      ...Array(2).fill('folder.deleted'),
    ])
    expect(events.slice(0, 2).map(({ asset_id }) => asset_id)).toEqual(expect.arrayContaining(ids))
  })
})

describe('no event is recorded', () => {
  it('for a change without effect', async () => {
    const folder = await newFolder('Talks')
    const id = await newAsset({ folder })
    await eventLog.next()
    await caller.patch(`assets/${id}/`, { title: ' A video ' })
    await caller.post(`assets/${id}/move/`, { folder })
    expect(await eventLog.next()).toEqual([])
  })

  it('for a rejected request, or for an asset that is already deleted', async () => {
    const [id, folder] = [await newAsset(), await newFolder('Talks')]
    await caller.delete(`assets/${id}/`)
    const existing = await newAsset({ folder })
    await eventLog.next()
    const rejected = [
      await caller.delete(`assets/${id}/`),
      await caller.patch(`assets/${id}/`, { title: 'x' }),
      await caller.post(`assets/${existing}/move/`, { folder: '11111111111' }),
      await caller.delete(`assets/folders/${folder}/`),
      await (await testApi.newOrganization()).delete(`assets/${existing}/`),
    ]
    expect(rejected.map(({ status }) => status)).toEqual([404, 404, 400, 409, 404])
    expect(await eventLog.next()).toEqual([])
  })
})

describe('two concurrent changes of one asset', () => {
  it('are recorded in commit order: the last event has the final state', async () => {
    const id = await newAsset()
    await eventLog.next()
    for (let round = 0; round < 10; round++) {
      await Promise.all(['a', 'b', 'c', 'd'].map((title) => caller.patch(`assets/${id}/`, { title })))
      const last = (await eventLog.next()).at(-1)?.data as Named | undefined
      const { body } = await caller.get<Named>(`assets/${id}/`)
      if (last) expect(last.title).toBe(body.title)
    }
  })
})

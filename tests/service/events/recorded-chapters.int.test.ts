/** Events about chapters: one event for each kind of change, with the changed chapters. */
import type { chapters } from '@reelkeep/contract'
import { type Caller, probedAsset, TestApi } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { type EventLogReader, newEventRecorder } from './recorded-events.ts'

const testApi = await opened(TestApi.open())

const recorder = newEventRecorder()
let caller: Caller
let path: string
let eventLog: EventLogReader
beforeEach(async () => {
  caller = await testApi.newOrganization()
  path = `assets/${(await probedAsset(caller)).asset.id}/chapters/`
  eventLog = await recorder.open(caller)
})

afterAll(() => expect(recorder.unseenTypes('chapter')).toEqual([]))

const [one, two, three] = [
  { title: 'One', start_time: '00:00:01' },
  { title: 'Two', start_time: '00:00:02' },
  { title: 'Three', start_time: '00:00:03' },
] as const

/** The type of each event, and the numbers and titles of its chapters. */
const touched = async () =>
  (await eventLog.next()).map(({ type, data }) => [
    type,
    ...(data as { chapters: chapters.Chapter[] }).chapters.map(({ id, title }) => `${id} ${title}`),
  ])

describe('events about chapters', () => {
  it('contain all chapters that a request created', async () => {
    await caller.post(path, { chapters: [two, one] })
    const [event] = await eventLog.next()
    expect(event).toMatchObject({
      type: 'chapter.created',
      data: {
        chapters: [
          { id: 1, ...one },
          { id: 2, ...two },
        ],
      },
    })
  })

  it('are recorded for every edit and deletion', async () => {
    await caller.post(path, { chapters: [one, two] })
    await eventLog.next()
    await caller.patch(`${path}1/`, { title: 'First' })
    await caller.patch(`${path}1/`, { start_time: '00:00:09' })
    await caller.delete(`${path}2/`)
    expect(await touched()).toEqual([
      ['chapter.updated', '1 First'],
      ['chapter.updated', '1 First'],
      ['chapter.deleted', '2 Two'],
    ])
  })

  it('are recorded for chapters that a replacement deletes, renames or creates, and for no others', async () => {
    const four = { title: 'Four', start_time: '00:00:04' }
    await caller.post(path, { chapters: [one, two, three] })
    await eventLog.next()
    const replacement = [one, { ...two, title: 'Second' }, four]
    await caller.send('PUT', path, { chapters: replacement })
    expect(await touched()).toEqual([
      ['chapter.deleted', '3 Three'],
      ['chapter.updated', '2 Second'],
      ['chapter.created', '4 Four'],
    ])
    await caller.send('PUT', path, { chapters: replacement })
    expect(await touched()).toEqual([])
  })

  it('are recorded for an import', async () => {
    await caller.post(`${path}import/`, { format: 'lines', text: '0:00 Beginning\n0:05 End' })
    expect(await touched()).toEqual([['chapter.created', '1 Beginning', '2 End']])
  })
})

describe('no event is recorded', () => {
  it('for a change without effect or a rejected request', async () => {
    await caller.post(path, { chapters: [one] })
    await eventLog.next()
    await caller.patch(`${path}1/`, { title: 'One', start_time: '00:00:01' })
    const late = { title: 'Late', start_time: '09:00:00' }
    expect((await caller.post(path, { chapters: [two, late] })).status).toBe(400)
    expect((await caller.delete(`${path}7/`)).status).toBe(404)
    expect(await eventLog.next()).toEqual([])
  })

  it('again for a request repeated with its idempotency key', async () => {
    const key = { 'idempotency-key': 'a' }
    for (let time = 0; time < 2; time++) {
      expect((await caller.post(path, { chapters: [one] }, key)).status).toBe(201)
    }
    expect(await eventLog.nextTypes()).toEqual(['chapter.created'])
  })

  it('for another organization', async () => {
    const neighbour = await recorder.open(await testApi.newOrganization())
    await caller.post(path, { chapters: [one] })
    expect(await neighbour.next()).toEqual([])
  })
})

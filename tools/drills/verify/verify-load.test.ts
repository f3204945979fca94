/** Tests that `verifyLoad` reports lost, duplicated and wrong changes. */
import { Caller } from '@reelkeep/testkit'
import { expect, it } from 'vitest'
import { change, fieldOf, LoadRecord } from '../load/load-record.ts'
import { verifyLoad } from './verify-load.ts'

type LoggedEvent = { readonly number: number; readonly type: string; readonly data: object }

/** A caller of a fake service that has this folder and this event log. */
function callerOf(folder: object | undefined, log: readonly LoggedEvent[]): Caller {
  const headers = { 'content-type': 'application/json' }
  return new Caller(
    async ({ path }) => {
      if (path.includes('/events/')) {
        return { status: 200, headers, text: JSON.stringify({ results: log, has_more: false }) }
      }
      return { status: folder ? 200 : 404, headers, text: JSON.stringify(folder ?? {}) }
    },
    'acme12',
    'token',
  )
}

const folder = { uuid: 'f1', parent: null }

const created = (number: number) => ({
  ...{ number, type: 'folder.created', data: { ...folder, title: 'First' } },
})

const renamed = (number: number) => ({
  ...{ number, type: 'folder.updated', data: { ...folder, title: 'Second' } },
})

/** Record of a folder that was created as "First", then renamed to "Second". */
function renamedFolder(): LoadRecord {
  const record = new LoadRecord('acme12')
  const title = fieldOf('First')
  record.creations.push({ type: 'folder.created', title: 'First', at: 0 })
  change(title, 'Second', true)
  record.folders.push({ uuid: 'f1', title, parent: fieldOf(null) })
  record.stream.lastNumber = 1
  return record
}

it('verifyLoad reports nothing if every acknowledged change exists', async () => {
  const caller = callerOf({ title: 'Second', parent: null }, [created(1), renamed(2)])
  expect(await verifyLoad(renamedFolder(), caller)).toMatchObject({
    ...{ lost: [], duplicated: [], wrong: [] },
  })
})

it('verifyLoad reports a missing folder, an undone change and a creation without an event as lost', async () => {
  const missing = await verifyLoad(renamedFolder(), callerOf(undefined, [created(1), renamed(2)]))
  expect(missing.lost).toEqual([expect.stringContaining('folder f1: 404')])
  const undone = await verifyLoad(renamedFolder(), callerOf({ title: 'First', parent: null }, [created(1), renamed(2)]))
  expect(undone.lost).toEqual([expect.stringContaining('folder f1 is First')])
  const unlogged = await verifyLoad(
    renamedFolder(),
    callerOf({ title: 'Second', parent: null }, [{ ...created(1), type: 'token.created' }, renamed(2)]),
  )
  expect(unlogged.lost).toEqual([expect.stringContaining('folder.created First')])
})

it('verifyLoad reports a repeated creation as duplicated, and an unrequested title as wrong', async () => {
  const caller = callerOf({ title: 'Third', parent: null }, [created(1), created(2), renamed(3)])
  const { duplicated, wrong, lost } = await verifyLoad(renamedFolder(), caller)
  expect(duplicated).toEqual(['folder.created First: 2 times'])
  expect(wrong).toEqual([expect.stringContaining('folder f1 is Third')])
  expect(lost).toEqual([])
})

it('verifyLoad accepts the old and the new value if the result of a change is unknown', async () => {
  for (const title of ['Second', 'Third']) {
    const record = renamedFolder()
    for (const folder of record.folders) change(folder.title, 'Third', false)
    const { lost, wrong } = await verifyLoad(record, callerOf({ title, parent: null }, [created(1), renamed(2)]))
    expect([...lost, ...wrong]).toEqual([])
  }
})

it('verifyLoad reports a gap in the log, and a received event that is not in the log', async () => {
  const record = renamedFolder()
  record.stream.lastNumber = 4
  const caller = callerOf({ title: 'Second', parent: null }, [created(2), renamed(3)])
  const { wrong, lost } = await verifyLoad(record, caller)
  expect(wrong).toEqual(['event 2 is at position 1 of the log'])
  expect(lost).toEqual(['event 4 was received, the log ends at 3'])
})

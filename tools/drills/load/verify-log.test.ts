/** Later changes must not hide a lost acknowledged change. */
import type { events } from '@reelkeep/contract'
import { expect, it } from 'vitest'
import { type AssetRecord, change, fieldOf, LoadRecord } from './load-record.ts'
import { verifyLog } from './verify-log.ts'

type Told = readonly [type: events.EventType, data: object]

function judge(record: LoadRecord, told: readonly Told[]) {
  const found = { lost: [], doubled: [], wrong: [] }
  const log = told.map(([type, data], index) => ({
    ...{ id: '', number: index + 1, type, asset_id: null, created_at: '', data },
  }))
  verifyLog(found, record, log)
  return found
}

const nothing = { lost: [], doubled: [], wrong: [] }

const folder = (title: string, parent: string | null = null): Told => [
  'folder.updated',
  { uuid: 'f1', title, parent },
]

const made: Told = ['folder.created', { uuid: 'f1', title: 'One', parent: null }]

/** Created as "One", renamed to "Two", moved to p, renamed to "Three", moved back. */
function usedFolder(): LoadRecord {
  const record = new LoadRecord('acme12')
  const [title, parent] = [fieldOf('One'), fieldOf(null)]
  record.creations.push({ type: 'folder.created', title: 'One', at: 0 })
  record.folders.push({ uuid: 'f1', title, parent })
  change(title, 'Two', true)
  change(parent, 'p', true)
  change(title, 'Three', true)
  change(parent, null, true)
  return record
}

const steps = [folder('Two'), folder('Two', 'p'), folder('Three', 'p'), folder('Three')]

it('finds nothing if every change is in the log once, and counts the verified changes', () => {
  expect(judge(usedFolder(), [made, ...steps])).toEqual(nothing)
  expect(usedFolder().acknowledged).toBe(5)
})

it('finds a lost rename that is hidden by a later one', () => {
  const told = [made, folder('One', 'p'), folder('Three', 'p'), folder('Three')]
  const { lost } = judge(usedFolder(), told)
  expect(lost).toEqual([expect.stringContaining('title of folder f1: the change to Two')])
})

it('finds a lost move that is hidden by a move back', () => {
  const { lost } = judge(usedFolder(), [made, folder('Two'), folder('Three')])
  expect(lost).toEqual([
    expect.stringContaining('place of folder f1: the change to p'),
    expect.stringContaining('place of folder f1: the change to null'),
  ])
})

it('finds a change that is repeated after another, and one that is logged twice', () => {
  const again = judge(usedFolder(), [made, ...steps, folder('Two'), folder('Three')])
  expect(again.doubled).toContainEqual(expect.stringContaining('title of folder f1: became Two'))
  const twice = judge(usedFolder(), [made, ...steps, folder('Three')])
  expect(twice.doubled).toEqual(['folder f1: 5 changes in the log, 4 requested'])
})

it('finds an unrequested change', () => {
  const { wrong } = judge(usedFolder(), [made, ...steps, folder('Four')])
  expect(wrong).toEqual([expect.stringContaining('title of folder f1: became Four')])
})

it('accepts an unacknowledged change as made or not, and requires the next one in the log only if it was a change', () => {
  const record = usedFolder()
  for (const { parent } of record.folders) {
    change(parent, 'q', false)
    change(parent, null, true)
  }
  const [there, back] = [folder('Three', 'q'), folder('Three')]
  expect(judge(record, [made, ...steps])).toEqual(nothing)
  expect(judge(record, [made, ...steps, there, back])).toEqual(nothing)
})

/** With a chapter that was created, and then deleted. */
function deletedChapter(): LoadRecord {
  const record = new LoadRecord('acme12')
  const title = fieldOf('Opening')
  record.creations.push({ type: 'chapter.created', title: 'Opening', at: 0 })
  const asset: AssetRecord = {
    ...{ id: 'a1', session: 's1', title: fieldOf('Video'), folder: fieldOf(null) },
    chapters: new Map([[7, { id: 7, second: 0, title }]]),
    uncertainSeconds: new Set(),
    file: { way: 'form', bytes: 1, storedAt: undefined, completedAt: undefined },
  }
  record.assets.push(asset)
  change(title, null, true)
  return record
}

const chapter = (type: events.EventType): Told => [
  type,
  { asset_id: 'a1', chapters: [{ id: 7, title: 'Opening', start_time: '00:00:00' }] },
]

it('requires the event of a deletion: a 404 may mean that the chapter was lost before', () => {
  const whole = [chapter('chapter.created'), chapter('chapter.deleted')]
  expect(judge(deletedChapter(), whole)).toEqual(nothing)
  const { lost } = judge(deletedChapter(), [chapter('chapter.created')])
  expect(lost).toEqual([expect.stringContaining('chapter 7 of a1: the change to null')])
})

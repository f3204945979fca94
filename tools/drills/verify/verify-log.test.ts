/** Tests that `verifyLog` finds a lost change even if a later change hides it. */
import type { events } from '@reelkeep/contract'
import { expect, it } from 'vitest'
import { type AssetRecord, change, fieldOf, LoadRecord } from '../load/load-record.ts'
import { verifyLog } from './verify-log.ts'

type LoggedEvent = readonly [type: events.EventType, data: object]

function check(record: LoadRecord, logged: readonly LoggedEvent[], numberOf = (index: number) => index + 1) {
  const violations = { lost: [], duplicated: [], wrong: [] }
  const log = logged.map(([type, data], index) => ({
    ...{ id: '', number: numberOf(index), type, asset_id: null, created_at: '', data },
  }))
  verifyLog(violations, record, log)
  return violations
}

const nothing = { lost: [], duplicated: [], wrong: [] }

const folder = (title: string, parent: string | null = null): LoggedEvent => [
  'folder.updated',
  { uuid: 'f1', title, parent },
]

const created: LoggedEvent = ['folder.created', { uuid: 'f1', title: 'One', parent: null }]

/** Record of a folder that was created as "One", renamed to "Two", moved to p, renamed to "Three", and moved back. */
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

it('verifyLog reports nothing if every acknowledged change is in the log once', () => {
  expect(check(usedFolder(), [created, ...steps])).toEqual(nothing)
  expect(usedFolder().acknowledged).toBe(5)
})

it('verifyLog accepts a new range of numbers after a failover, and no other gap', () => {
  const withGap = (gap: number) => (index: number) => (index < 3 ? index + 1 : index + 1 + gap)
  expect(check(usedFolder(), [created, ...steps], withGap(2 ** 40))).toEqual(nothing)
  expect(check(usedFolder(), [created, ...steps], withGap(1)).wrong).toEqual(['event 5 is at position 4 of the log'])
})

it('verifyLog finds a lost rename that is hidden by a later rename', () => {
  const logged = [created, folder('One', 'p'), folder('Three', 'p'), folder('Three')]
  const { lost } = check(usedFolder(), logged)
  expect(lost).toEqual([expect.stringContaining('title of folder f1: the change to Two')])
})

it('verifyLog finds a lost move that is hidden by a move back', () => {
  const { lost } = check(usedFolder(), [created, folder('Two'), folder('Three')])
  expect(lost).toEqual([
    expect.stringContaining('place of folder f1: the change to p'),
    expect.stringContaining('place of folder f1: the change to null'),
  ])
})

it('verifyLog finds a change that is repeated after another change, and a change that is logged twice', () => {
  const repeated = check(usedFolder(), [created, ...steps, folder('Two'), folder('Three')])
  expect(repeated.duplicated).toContainEqual(expect.stringContaining('title of folder f1: became Two'))
  const twice = check(usedFolder(), [created, ...steps, folder('Three')])
  expect(twice.duplicated).toEqual(['folder f1: 5 changes in the log, 4 requested'])
})

it('verifyLog finds an unrequested change', () => {
  const { wrong } = check(usedFolder(), [created, ...steps, folder('Four')])
  expect(wrong).toEqual([expect.stringContaining('title of folder f1: became Four')])
})

it('verifyLog accepts a log with or without an unacknowledged change and the change that reverts it', () => {
  const record = usedFolder()
  for (const { parent } of record.folders) {
    change(parent, 'q', false)
    change(parent, null, true)
  }
  const [there, back] = [folder('Three', 'q'), folder('Three')]
  expect(check(record, [created, ...steps])).toEqual(nothing)
  expect(check(record, [created, ...steps, there, back])).toEqual(nothing)
})

/** Record of a chapter that was created and then deleted. */
function deletedChapter(): LoadRecord {
  const record = new LoadRecord('acme12')
  const title = fieldOf('Opening')
  record.creations.push({ type: 'chapter.created', title: 'Opening', at: 0 })
  const asset: AssetRecord = {
    ...{ id: 'a1', session: 's1', title: fieldOf('Video'), folder: fieldOf(null) },
    chapters: new Map([[7, { id: 7, second: 0, title }]]),
    uncertainSeconds: new Set(),
    file: { method: 'form', bytes: 1, storedAt: undefined, completedAt: undefined },
  }
  record.assets.push(asset)
  change(title, null, true)
  return record
}

const chapter = (type: events.EventType): LoggedEvent => [
  type,
  { asset_id: 'a1', chapters: [{ id: 7, title: 'Opening', start_time: '00:00:00' }] },
]

it('verifyLog reports a deleted chapter as lost if the log has no event of its deletion', () => {
  const whole = [chapter('chapter.created'), chapter('chapter.deleted')]
  expect(check(deletedChapter(), whole)).toEqual(nothing)
  const { lost } = check(deletedChapter(), [chapter('chapter.created')])
  expect(lost).toEqual([expect.stringContaining('chapter 7 of a1: the change to null')])
})

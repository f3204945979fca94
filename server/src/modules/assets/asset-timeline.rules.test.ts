import { describe, expect, it } from 'vitest'
import type { Timestamp } from '../../kernel/time.ts'
import { timelineOf } from './asset-timeline.rules.ts'

const createdAt = '2026-11-15T09:30:00.000000Z' as Timestamp
const deadline = '2026-11-16T03:30:00.000000Z' as Timestamp
const processing = { detail: 'Being looked into.', until: deadline }
const renamed = { at: deadline, what: 'renamed', detail: 'Renamed.' }

describe('the timeline of an asset', () => {
  it('starts with the creation of the asset', () => {
    const { entries } = timelineOf({ status: 'Queued', createdAt }, [renamed], {})
    expect(entries.map(({ at, what }) => [at, what])).toEqual([
      [createdAt, 'created'],
      [deadline, 'renamed'],
    ])
  })

  it.each([
    ['Not Started', 'uploaded', { until: deadline }],
    ['Queued', 'processing_started', processing],
    ['Processing', 'completed', processing],
  ] as const)('in status %s shows %s as next, with the deadline', (status, what, expected) => {
    const { pending } = timelineOf({ status, createdAt }, [], { fileUntil: deadline, processing })
    expect(pending).toMatchObject({ what, ...expected })
  })

  it('shows no deadline if none is known', () => {
    const { pending } = timelineOf({ status: 'Not Started', createdAt }, [], { processing })
    expect(pending).toMatchObject({ what: 'uploaded', until: null })
  })

  it.each(['Completed', 'Error', 'Cancelled'] as const)('shows nothing as next in status %s', (status) => {
    expect(timelineOf({ status, createdAt }, [], { processing }).pending).toBeNull()
  })
})

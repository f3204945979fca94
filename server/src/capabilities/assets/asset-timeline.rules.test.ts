import { describe, expect, it } from 'vitest'
import type { Timestamp } from '../../kernel/time.ts'
import { timelineOf } from './asset-timeline.rules.ts'

const createdAt = '2026-11-15T09:30:00.000000Z' as Timestamp
const deadline = '2026-11-16T03:30:00.000000Z' as Timestamp
const renamed = { at: deadline, what: 'renamed', detail: 'Renamed.' }

describe('a timeline', () => {
  it('begins with the creation', () => {
    const { happened } = timelineOf({ status: 'Queued', createdAt }, [renamed], null)
    expect(happened.map(({ at, what }) => [at, what])).toEqual([
      [createdAt, 'created'],
      [deadline, 'renamed'],
    ])
  })

  it.each([
    ['Not Started', 'uploaded', deadline],
    ['Queued', 'processing_started', null],
    ['Processing', 'completed', null],
  ] as const)('%s: awaits %s, until %s', (status, what, until) => {
    expect(timelineOf({ status, createdAt }, [], deadline).awaited).toMatchObject({ what, until })
  })

  it.each(['Completed', 'Error', 'Cancelled'] as const)('%s: awaits nothing', (status) => {
    expect(timelineOf({ status, createdAt }, [], deadline).awaited).toBeNull()
  })
})

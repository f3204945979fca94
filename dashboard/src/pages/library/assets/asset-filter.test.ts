import { describe, expect, it } from 'vitest'
import { filterOf, listQueryOf } from './asset-filter.ts'

describe('filterOf', () => {
  it('shows a folder without its subfolders, and searches them as well', () => {
    expect(filterOf({ folder: 'a' })).toEqual({ folder: 'a' })
    expect(filterOf({ folder: 'a', q: 'part' })).toEqual({ folder: 'a', recursive: true, q: 'part' })
  })

  it('turns names into the values of the API', () => {
    expect(filterOf({ status: 'Queued,Error', has: 'subtitles', tag: 'course', length: 'medium' })).toEqual({
      ...{ status: ['Queued', 'Error'], has: ['subtitles'], tag: ['course'], duration_min: 240, duration_max: 1200 },
    })
  })

  it('includes the whole last day', () => {
    const { created_after: after, created_before: before } = filterOf({ from: '2026-11-18', to: '2026-11-18' })
    expect(Date.parse(before ?? '') - Date.parse(after ?? '')).toBe(24 * 60 * 60 * 1000)
  })

  it('continues with the next month after the last day of one', () => {
    expect(filterOf({ to: '2026-02-28' })).toEqual({ created_before: new Date('2026-03-01T00:00:00').toISOString() })
  })
})

it('the newest videos are first unless the address says otherwise', () => {
  expect([listQueryOf({}).order, listQueryOf({ order: 'title' }).order]).toEqual(['-created_at', 'title'])
})

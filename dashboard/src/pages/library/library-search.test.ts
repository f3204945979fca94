import { describe, expect, it } from 'vitest'
import { filterCount, isFiltered, librarySearch, listIn, statuses, withoutFilters } from './library-search.ts'

describe('librarySearch', () => {
  it('keeps what it knows', () => {
    const search = { folder: '7Hq2kVnW4sD', q: 'part', status: 'Queued,Error', tag: 'course', has: 'chapters' }
    const more = { length: 'long', from: '2026-11-01', to: '2026-11-30', order: 'title' }
    expect(librarySearch({ ...search, ...more })).toEqual({ ...search, ...more })
  })

  it('drops what it does not know, is empty, or is the default', () => {
    const search = { folder: '', q: '  ', status: 'Odd', has: 'x,y', length: 'endless', from: '2026-13-40' }
    expect(librarySearch({ ...search, to: 'yesterday', order: '-created_at', page: 7, tag: null })).toEqual({})
  })

  it('keeps the known values of a list in one order, so that equal filters have one address', () => {
    expect(librarySearch({ status: 'Error,Odd,Queued' }).status).toBe('Queued,Error')
  })

  it('reads a number in the address as a search text', () => {
    expect(librarySearch({ q: 2026 })).toEqual({ q: '2026' })
  })
})

describe('filters', () => {
  it('are counted without folder, order and search text', () => {
    expect(filterCount({ folder: 'a', q: 'b', order: 'title', status: 'Error', from: '2026-01-01' })).toBe(2)
  })

  it('hide videos if there is a search text or a filter', () => {
    expect([{}, { folder: 'a', order: 'title' as const }, { q: 'x' }, { tag: 'x' }].map(isFiltered)).toEqual([
      ...[false, false, true, true],
    ])
  })

  it('are removed without leaving the folder', () => {
    expect(withoutFilters({ folder: 'a', q: 'b', tag: 'c', order: 'title' })).toEqual({ folder: 'a', order: 'title' })
  })

  it('are read from a list with commas', () => {
    expect(listIn(statuses, 'Error,Nothing')).toEqual(['Error'])
    expect(listIn(statuses, undefined)).toEqual([])
  })
})

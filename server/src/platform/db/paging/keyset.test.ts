import { describe, expect, it } from 'vitest'
import {
  decodeCursor,
  encodeCursor,
  type PageRequest,
  type Position,
  rowsToFetch,
  type SortKey,
  toRowPage,
} from './keyset.ts'

const isPair = (key: SortKey) => key.length === 2
const cursorOf = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const sortKeyOf = (row: string) => [row]
const after = (key: string): Position => ({ direction: 'after', key: [key] })
const before = (key: string): Position => ({ direction: 'before', key: [key] })

/** A list of letters, read like a store does: from the position on, one row more than the page shows. */
function pageOf(letters: string, request: PageRequest) {
  const { position } = request
  const found = [...letters].filter((letter) => {
    const edge = position?.key[0]
    if (!position || edge === undefined) return true
    return position.direction === 'after' ? letter > edge : letter < edge
  })
  if (position?.direction === 'before') found.reverse()
  return toRowPage(found.slice(0, rowsToFetch(request)), request, sortKeyOf)
}

describe('toRowPage', () => {
  it('the first page has no previous page, the last no next page', () => {
    expect(pageOf('abcde', { limit: 2, position: undefined })).toEqual({
      rows: ['a', 'b'],
      next: after('b'),
      previous: null,
    })
    expect(pageOf('abcde', { limit: 2, position: after('d') })).toEqual({
      rows: ['e'],
      next: null,
      previous: before('e'),
    })
  })

  it('a page as long as the list has neither next nor previous', () => {
    const page = pageOf('ab', { limit: 2, position: undefined })
    expect(page).toEqual({ rows: ['a', 'b'], next: null, previous: null })
  })

  it('an empty list has neither next nor previous', () => {
    const page = pageOf('', { limit: 2, position: undefined })
    expect(page).toEqual({ rows: [], next: null, previous: null })
  })

  it('a page before a position has its rows in list order', () => {
    expect(pageOf('abcde', { limit: 2, position: before('e') })).toEqual({
      rows: ['c', 'd'],
      next: after('d'),
      previous: before('c'),
    })
    expect(pageOf('abcde', { limit: 2, position: before('c') })).toEqual({
      rows: ['a', 'b'],
      next: after('b'),
      previous: null,
    })
  })

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('paging in both directions visits each row once with %s rows per page', (limit) => {
    const list = 'abcdefg'
    const there: string[] = []
    const pages = [pageOf(list, { limit, position: undefined })]
    for (let page = pages[0]; page; ) {
      there.push(...page.rows)
      page = page.next ? pageOf(list, { limit, position: page.next }) : undefined
      if (page) pages.push(page)
      // Fails the test if the pages form a cycle, which would never end.
      expect(pages.length).toBeLessThanOrEqual(list.length)
    }
    expect(there.join('')).toBe(list)
    const back: string[] = [...(pages.at(-1)?.rows ?? [])]
    for (let page = pages.at(-1); page?.previous; ) {
      page = pageOf(list, { limit, position: page.previous })
      back.unshift(...page.rows)
      expect(back.length).toBeLessThanOrEqual(list.length)
    }
    expect(back.join('')).toBe(list)
  })

  it('no row is repeated or skipped when rows are inserted and deleted between pages', () => {
    const one = pageOf('bdf', { limit: 2, position: undefined })
    const two = pageOf('abcef', { limit: 5, position: one.next ?? undefined })
    expect([...one.rows, ...two.rows].join('')).toBe('bdef')
  })

  it('an empty page before a position leads to the start of the list', () => {
    const emptied = pageOf('cd', { limit: 2, position: before('c') })
    expect(emptied).toEqual({ rows: [], next: { direction: 'after', key: [] }, previous: null })
    const onwards = pageOf('cd', { limit: 2, position: emptied.next ?? undefined })
    expect(onwards.rows).toEqual(['c', 'd'])
  })

  it('an empty page after a position leads back to the end of the list', () => {
    const page = pageOf('abc', { limit: 2, position: after('x') })
    expect(page).toEqual({ rows: [], next: null, previous: { direction: 'before', key: [] } })
    const back = pageOf('abc', { limit: 2, position: page.previous ?? undefined })
    expect(back.rows).toEqual(['b', 'c'])
  })
})

describe('a cursor', () => {
  it.each<Position>([
    { direction: 'after', key: ['title', '7Hq2kVnW4sD'] },
    { direction: 'before', key: ['', ''] },
    { direction: 'after', key: ['ünï "quoted" \\ 🎬', '%_'] },
    { direction: 'after', key: ['title', '7Hq2kVnW4sD'], count: 0 },
    { direction: 'before', key: ['title', '7Hq2kVnW4sD'], count: 10_001 },
  ])('decodes to the position it encodes: %j', (position) => {
    expect(decodeCursor(encodeCursor(position), isPair)).toEqual(position)
  })

  it('needs no percent-encoding in a URL', () => {
    const cursor = encodeCursor({ direction: 'after', key: ['???>>>~~~ü', 'x'] })
    expect(cursor).toBe(encodeURIComponent(cursor))
  })

  it('is at most 2048 characters long for the longest title', () => {
    expect(encodeCursor({ direction: 'after', key: ['🎬'.repeat(255), 'x'.repeat(11)] }).length).toBeLessThanOrEqual(
      2048,
    )
  })

  it.each([
    ['text', 'hello'],
    ['nothing', ''],
    ['not a list', cursorOf({ direction: 1 })],
    ['an empty list', cursorOf([])],
    ['no direction', cursorOf(['a', 'b'])],
    ['a direction that does not exist', cursorOf([2, 'a', 'b'])],
    ['too few values', cursorOf([1, 'a'])],
    ['too many values', cursorOf([1, 'a', 'b', 'c'])],
    ['a value that is no text', cursorOf([1, 'a', 7])],
    ['only a count', cursorOf([1, 7])],
    ['a negative count', cursorOf([1, 'a', 'b', -1])],
    ['a count that is not an integer', cursorOf([1, 'a', 'b', 0.5])],
    ['a value that is null', cursorOf([1, 'a', null])],
    ['a NUL, which Postgres cannot store', cursorOf([1, 'a\0', 'b'])],
    ['half a surrogate pair', cursorOf([1, '\ud800', 'b'])],
    ['bytes that are not UTF-8', Buffer.from([0xff, 0xfe]).toString('base64url')],
  ])('is rejected when it contains %s', (_, cursor) => {
    expect(() => decodeCursor(cursor, isPair)).toThrow(expect.objectContaining({ code: 'invalid_cursor' }))
  })
})

import { expect, it } from 'vitest'
import { byParent, chunksOf, contains, tagsIn, withoutTag } from './asset-target.ts'

const asset = (id: string, parentId: string | null, ...tags: string[]) => ({ id, parentId, tags })

it('groups assets by the folder they came from, with the root', () => {
  const groups = byParent([asset('1', 'a'), asset('2', null), asset('3', 'a')])
  expect([...groups].map(([parent, assets]) => [parent, assets.map(({ id }) => id)])).toEqual([
    ['a', ['1', '3']],
    [null, ['2']],
  ])
})

it('finds the assets that would get a tag, ignoring case', () => {
  expect(withoutTag([asset('1', null, 'Course'), asset('2', null, 'other')], 'course').map(({ id }) => id)).toEqual([
    '2',
  ])
})

it('reads tags from a text with commas, each once', () => {
  expect(tagsIn(' course, b-roll,,Course , ')).toEqual(['course', 'b-roll'])
  expect(tagsIn(' , ')).toEqual([])
})

it('splits a list into chunks', () => {
  expect(chunksOf([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]])
  expect(chunksOf([], 2)).toEqual([])
})

it('finds a text in a title, ignoring case and accents', () => {
  expect(['zurich', 'ZÜR', '', 'x'].map((text) => contains('Zürich 2026', text))).toEqual([true, true, true, false])
})

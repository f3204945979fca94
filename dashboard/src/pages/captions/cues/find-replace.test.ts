import { expect, it } from 'vitest'
import { matchesOf, replacedMatches } from './find-replace.ts'

const cue = (key: string, text: string) => ({ key, text, startMs: 0, endMs: 1, speaker: '', settings: '' })
const cues = [cue('a', 'The fjord. the end'), cue('b', 'Nothing'), cue('c', 'over\nthe (fjord)')]
const find = (text: string, isCaseSensitive = false) => matchesOf(cues, { find: text, isCaseSensitive })

it('finds text in any case, or in the same case', () => {
  expect(find('the')).toHaveLength(3)
  expect(find('The', true)).toEqual([{ key: 'a', start: 0, end: 3 }])
  expect(find('')).toEqual([])
})

it('finds characters that patterns use, and line breaks by a space', () => {
  expect(find('(fjord)')).toEqual([{ key: 'c', start: 9, end: 16 }])
  expect(find('over the')).toHaveLength(1)
})

it('replaces one match or all, and keeps other cues as they are', () => {
  const all = replacedMatches(cues, find('the'), 'a')
  expect(all.map(({ text }) => text)).toEqual(['a fjord. a end', 'Nothing', 'over\na (fjord)'])
  expect(all[1]).toBe(cues[1])
  const [first] = find('the')
  expect(replacedMatches(cues, first ? [first] : [], '$&')[0]?.text).toBe('$& fjord. the end')
  expect(replacedMatches(cues, [], 'a')).toBe(cues)
})

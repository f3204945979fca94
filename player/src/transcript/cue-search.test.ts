import { expect, it } from 'vitest'
import { cueAt, findCues } from './cue-search.ts'

const cuesOf = (...texts: readonly string[]) =>
  texts.map((text, index) => ({ start: index * 5, end: index * 5 + 4, text }))
const found = (query: string, ...texts: readonly string[]) =>
  [...findCues(cuesOf(...texts), query)].map(([index, matches]) => [
    index,
    ...matches.map(([start, end]) => texts[index]?.slice(start, end)),
  ])

it('findCues finds words without case and accents, and beginnings of words', () => {
  expect(found('eleve', 'Les Élèves mangent', 'Nothing')).toEqual([[0, 'Élève']])
  expect(found('ring', 'String', 'The rings')).toEqual([[1, 'ring']])
  expect(found('京都', '東京都')).toEqual([[0, '京都']])
  expect(found('RINGS', 'The rings are rings')).toEqual([[0, 'rings', 'rings']])
})

it('findCues needs all words, in any order', () => {
  expect(found('light green', 'The green light', 'A red light')).toEqual([[0, 'green', 'light']])
})

it('findCues finds words that are divided between two cues', () => {
  expect(found('understood the rings', 'No one understood', 'the rings of Saturn', 'The end')).toEqual([
    [0, 'understood'],
    [1, 'the', 'rings'],
  ])
  expect(found('rings saturn', 'The rings', 'The rings of Saturn')).toEqual([[1, 'rings', 'Saturn']])
})

it('findCues counts characters of two units, and characters that become longer in lower case', () => {
  expect(found('fox', '😀 İ fox')).toEqual([[0, 'fox']])
})

it('findCues finds nothing for a query without words', () => {
  expect(found(' … ', 'Wait …')).toEqual([])
})

it('findCues treats characters of patterns as text', () => {
  expect(found('a.c', 'abc')).toEqual([])
})

it('cueAt is the last cue that has started', () => {
  const cues = cuesOf('one', 'two')
  expect([-1, 0, 4.9, 5, 60].map((seconds) => cueAt(cues, seconds))).toEqual([-1, 0, 0, 1, 1])
})

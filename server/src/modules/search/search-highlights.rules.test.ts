import { expect, it } from 'vitest'
import { highlightsOf, joined } from './search-highlights.rules.ts'

const parts = (text: string, marked: string) =>
  highlightsOf(text, marked).map(({ start, end }) => text.slice(start, end))

it('highlightsOf finds the marked words in the text as it was written', () => {
  expect(parts('The Élève runs, RUNS!', 'the {eleve} {runs}  {runs} ')).toEqual(['Élève', 'runs', 'RUNS'])
})

it('highlightsOf counts characters outside of the basic plane as two units', () => {
  expect(highlightsOf('😀 fox', '😀 {fox}')).toEqual([{ start: 3, end: 6 }])
})

it('highlightsOf skips the spaces after Chinese and Japanese characters', () => {
  expect(parts('東京タワー', '{東} {京} タ ワ ー ')).toEqual(['東', '京'])
  expect(joined(highlightsOf('東京タワー', '{東} {京} タ ワ ー '))).toEqual([{ start: 0, end: 2 }])
})

it('highlightsOf skips accents that are characters of their own', () => {
  expect(parts('x\u0301yz fox', 'xyz {fox}')).toEqual(['fox'])
})

it('highlightsOf returns nothing if the texts do not correspond', () => {
  expect(highlightsOf('fox', '{foxes}')).toEqual([])
})

it('joined joins highlights that overlap', () => {
  const highlights = [
    { start: 4, end: 9 },
    { start: 0, end: 3 },
    { start: 4, end: 6 },
  ]
  expect(joined(highlights)).toEqual([
    { start: 0, end: 3 },
    { start: 4, end: 9 },
  ])
})

import { expect, it } from 'vitest'
import { withUniqueLabels } from './labels.ts'

const labelsOf = (...labels: string[]) => {
  const track = { name: 'x', language: 'en', isAutomatic: false, uri: 'x.vtt' }
  return withUniqueLabels(labels.map((label) => ({ ...track, label }))).map(({ label }) => label)
}

it('withUniqueLabels numbers duplicate labels', () => {
  expect(labelsOf('English', 'English (2)', 'English', 'Deutsch', 'English')).toEqual([
    'English',
    'English (2)',
    'English (3)',
    'Deutsch',
    'English (4)',
  ])
})

it('withUniqueLabels treats labels that differ only in their quotes as duplicates', () => {
  expect(labelsOf('The "cut"', "The 'cut'")).toEqual(['The "cut"', "The 'cut' (2)"])
})

import { expect, it } from 'vitest'
import { withOwnLabels } from './labels.ts'

const labelsOf = (...labels: string[]) => {
  const track = { name: 'x', language: 'en', isAutomatic: false, uri: 'x.vtt' }
  return withOwnLabels(labels.map((label) => ({ ...track, label }))).map(({ label }) => label)
}

it('no two subtitles bear the same name in a menu', () => {
  expect(labelsOf('English', 'English (2)', 'English', 'Deutsch', 'English')).toEqual([
    'English',
    'English (2)',
    'English (3)',
    'Deutsch',
    'English (4)',
  ])
})

it('names that differ in their quotes alone are the same in a playlist', () => {
  expect(labelsOf('The "cut"', "The 'cut'")).toEqual(['The "cut"', "The 'cut' (2)"])
})

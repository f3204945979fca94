import { expect, it } from 'vitest'
import { linkedTime } from './deep-link.ts'

const chapters = [
  { title: 'One', start: 0 },
  { title: 'Two', start: 30 },
]

it.each([
  ['#t=1m30s', 90],
  ['#token=abc&t=5', 5],
  ['#chapter=2', 30],
  ['#chapter=1', 0],
  ['#t=7&chapter=2', 7],
  ['#t=x&chapter=2', 30],
])('the fragment %s starts playback at %d seconds', (hash, seconds) => {
  expect(linkedTime(hash, chapters)).toBe(seconds)
})

it.each(['', '#', '#chapter=0', '#chapter=3', '#chapter=x', '#top'])('the fragment %j has no start time', (hash) => {
  expect(linkedTime(hash, chapters)).toBeUndefined()
})

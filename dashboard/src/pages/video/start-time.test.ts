import { expect, it } from 'vitest'
import { videoSearch } from './start-time.ts'

it.each([
  [83.2, 83.2],
  ['83.25', 83.25],
  [0, 0],
  [1.23456, 1.235],
])('videoSearch reads %j as %d seconds', (t, seconds) => {
  expect(videoSearch({ t })).toEqual({ t: seconds })
})

it.each([-1, 'soon', '', null, undefined, Number.NaN, 1e9])('videoSearch drops %j', (t) => {
  expect(videoSearch({ t })).toEqual({})
})

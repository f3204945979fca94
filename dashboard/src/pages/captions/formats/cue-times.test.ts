import { expect, it } from 'vitest'
import { parseSeconds, parseTime } from './cue-times.ts'

it('reads times as people write them', () => {
  expect(['1:15.480', '75,48', '1:00:00', '0:09.5', '12'].map(parseTime)).toEqual([
    75_480, 75_480, 3_600_000, 9500, 12_000,
  ])
  expect(['', 'soon', '1:', '1.2345'].map(parseTime)).toEqual([undefined, undefined, undefined, undefined])
})

it('reads seconds with a sign', () => {
  expect(['1.5', '-0,25', '+2', '−1'].map(parseSeconds)).toEqual([1500, -250, 2000, -1000])
  expect(['', '1e3', '1.2345'].map(parseSeconds)).toEqual([undefined, undefined, undefined])
})

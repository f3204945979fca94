import { expect, it } from 'vitest'
import { clock, sizeText } from './formats.ts'

it.each([
  [0, '0:00'],
  [59.4, '0:59'],
  [59.96, '0:59'],
  [75, '1:15'],
  [3600, '1:00:00'],
  [3700, '1:01:40'],
])('%d seconds are %s', (seconds, text) => {
  expect(clock(seconds)).toBe(text)
})

it.each([
  [0, '0 kB'],
  [11, '0.1 kB'],
  [3400, '3.4 kB'],
  [214_000, '214 kB'],
  [3_400_000, '3.4 MB'],
  [20_000_000_000, '20 GB'],
])('%d bytes are %s', (bytes, text) => {
  expect(sizeText(bytes, 'en')).toBe(text)
})

it('uses the numbers of the language', () => {
  expect(sizeText(3_400_000, 'de')).toBe('3,4 MB')
})

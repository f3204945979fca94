import { expect, it } from 'vitest'
import { counterOf, DRAWN_MAX } from './counters.ts'

const frames = { start: 0, end: 1200 }
const value = (place: Parameters<typeof counterOf>[0]) => counterOf(place).readBigUInt64BE()

it('has a place for the track, what was drawn, and the frame', () => {
  const place = { track: 3, drawn: 0xdeadbeef, frames: { start: 0x1234567, end: 0x1234600 } }
  expect(counterOf(place).toString('hex')).toBe('3deadbeef1234567')
})

it('never reaches the place of another track, part or number', () => {
  const place = { track: 1, drawn: 7, frames }
  const last = value(place) + BigInt(frames.end - 1)
  expect(value({ ...place, frames: { start: 1200, end: 2400 } })).toBe(last + 1n)
  expect(value({ ...place, drawn: 8 })).toBeGreaterThan(last)
  expect(value({ ...place, track: 2, drawn: 0 })).toBeGreaterThan(
    value({ track: 1, drawn: DRAWN_MAX - 1, frames: { start: 2 ** 28 - 1, end: 2 ** 28 } }),
  )
})

it('refuses what would run into another', () => {
  const place = { track: 0, drawn: 0, frames }
  expect(() => counterOf({ ...place, frames: { start: 2 ** 28, end: 2 ** 28 + 1 } })).toThrow()
  expect(() => counterOf({ ...place, drawn: DRAWN_MAX })).toThrow()
  expect(() => counterOf({ ...place, track: 16 })).toThrow()
})

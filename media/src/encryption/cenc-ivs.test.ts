import { expect, it } from 'vitest'
import { firstIv, RANDOM_MAX } from './cenc-ivs.ts'

const frames = { start: 0, end: 1200 }
const value = (place: Parameters<typeof firstIv>[0]) => firstIv(place).readBigUInt64BE()

it('firstIv combines the track, a random number and the frame', () => {
  const place = { track: 3, random: 0xdeadbeef, frames: { start: 0x1234567, end: 0x1234600 } }
  expect(firstIv(place).toString('hex')).toBe('3deadbeef1234567')
})

it('IVs never overlap with those of another track, part or random number', () => {
  const place = { track: 1, random: 7, frames }
  const last = value(place) + BigInt(frames.end - 1)
  expect(value({ ...place, frames: { start: 1200, end: 2400 } })).toBe(last + 1n)
  expect(value({ ...place, random: 8 })).toBeGreaterThan(last)
  expect(value({ ...place, track: 2, random: 0 })).toBeGreaterThan(
    value({ track: 1, random: RANDOM_MAX - 1, frames: { start: 2 ** 28 - 1, end: 2 ** 28 } }),
  )
})

it('firstIv throws if the track, the random number or a frame is out of range', () => {
  const place = { track: 0, random: 0, frames }
  expect(() => firstIv({ ...place, frames: { start: 2 ** 28, end: 2 ** 28 + 1 } })).toThrow()
  expect(() => firstIv({ ...place, random: RANDOM_MAX })).toThrow()
  expect(() => firstIv({ ...place, track: 16 })).toThrow()
})

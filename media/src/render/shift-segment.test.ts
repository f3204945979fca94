import { expect, it } from 'vitest'
import { shiftSegment } from './shift-segment.ts'

const box = (name: string, ...content: Buffer[]) => {
  const body = Buffer.concat(content)
  const head = Buffer.alloc(8)
  head.writeUInt32BE(8 + body.length)
  head.write(name, 4, 'latin1')
  return Buffer.concat([head, body])
}
const time = (ticks: number, version: 0 | 1) => {
  const body = Buffer.alloc(version === 1 ? 12 : 8)
  body[0] = version
  if (version === 1) body.writeBigUInt64BE(BigInt(ticks), 4)
  else body.writeUInt32BE(ticks, 4)
  return box('tfdt', body)
}
const segment = (...times: Buffer[]) =>
  Buffer.concat(times.flatMap((one) => [box('moof', box('traf', box('tfhd', Buffer.alloc(8)), one)), box('mdat')]))

it('moves every fragment, with times of 32 and 64 bits, and nothing else', () => {
  const long = 2 ** 33
  const before = segment(time(5000, 0), time(long, 1))
  expect(shiftSegment(before, 4000)).toEqual(segment(time(1000, 0), time(long - 4000, 1)))
  expect(before).toEqual(segment(time(5000, 0), time(long, 1)))
})

it('refuses to move a fragment before the start, and files without fragments', () => {
  expect(() => shiftSegment(segment(time(3999, 1)), 4000)).toThrow('before tick 4000')
  expect(() => shiftSegment(box('mdat'), 1)).toThrow('no fragments')
})

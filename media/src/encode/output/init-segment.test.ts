import { expect, it } from 'vitest'
import { codecsOf, skippedTicksOf, timescaleOf, withoutRunBoxes } from './init-segment.ts'

const box = (name: string, ...content: (Buffer | number[])[]) => {
  const body = Buffer.concat(content.map((bytes) => Buffer.from(bytes)))
  const head = Buffer.alloc(8)
  head.writeUInt32BE(8 + body.length)
  head.write(name, 4, 'latin1')
  return Buffer.concat([head, body])
}
const video = (duration = 1, version = 'v3.4.2') =>
  Buffer.concat([
    box('ftyp', [1]),
    box(
      'moov',
      box('meta', box('ID32', Buffer.from(version))),
      box('mdhd', Buffer.alloc(12), [0, 0, 0x75, 0x30], Buffer.alloc(8)),
      box('avcC', [1, 0x64, 0x00, 0x1f, 0xff]),
      box('mvex', box('mehd', [0, 0, 0, 0, 0, 0, 0, duration]), box('trex', [1, 2, 3])),
    ),
  ])

it('withoutRunBoxes removes the duration of the packager run', () => {
  expect(withoutRunBoxes(video(1))).toEqual(withoutRunBoxes(video(200)))
})

it('withoutRunBoxes removes the version of the packager', () => {
  expect(withoutRunBoxes(video(1, 'v3.4.2'))).toEqual(withoutRunBoxes(video(1, 'v3.10.0')))
})

it('withoutRunBoxes keeps all other boxes, and damaged headers', () => {
  expect(withoutRunBoxes(video())).toEqual(
    Buffer.concat([
      box('ftyp', [1]),
      box(
        'moov',
        box('mdhd', Buffer.alloc(12), [0, 0, 0x75, 0x30], Buffer.alloc(8)),
        box('avcC', [1, 0x64, 0x00, 0x1f, 0xff]),
        box('mvex', box('trex', [1, 2, 3])),
      ),
    ]),
  )
  const damaged = video().subarray(0, -2)
  expect(withoutRunBoxes(damaged)).toEqual(damaged)
})

it('codecsOf and timescaleOf read the codec and the timescale', () => {
  expect(codecsOf(video())).toBe('avc1.64001f')
  expect(timescaleOf(video())).toBe(30_000)
  expect(codecsOf(box('moov', box('mp4a', [0])))).toBe('mp4a.40.2')
})

it('codecsOf and timescaleOf return undefined for anything that is not a header', () => {
  expect(codecsOf(Buffer.from('not a header'))).toBeUndefined()
  expect(codecsOf(box('moov', box('hvcC', [1, 2, 3])))).toBeUndefined()
  expect(timescaleOf(box('moov'))).toBeUndefined()
})

it('skippedTicksOf reads the media time skipped by the edit list', () => {
  const edited = (...edits: number[][]) =>
    box('moov', box('edts', box('elst', ...edits)), box('mvex', Buffer.alloc(24)))
  const [one, length] = [
    [0, 0, 0, 1],
    [9, 9, 9, 9],
  ]
  const plain = [[0, 0, 0, 0], one, length, [0, 0, 0x07, 0xd0], [0, 1, 0, 0]]
  expect(skippedTicksOf(edited(...plain))).toBe(2000)
  const long = [[1, 0, 0, 0], one, length, length, [0, 0, 0, 0], [0, 0, 0x07, 0xd0], [0, 1, 0, 0]]
  expect(skippedTicksOf(edited(...long))).toBe(2000)
  expect(skippedTicksOf(video())).toBe(0)
})

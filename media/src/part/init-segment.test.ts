import { expect, it } from 'vitest'
import { codecsOf, timescaleOf, withoutDuration } from './init-segment.ts'

const box = (name: string, ...content: (Buffer | number[])[]) => {
  const body = Buffer.concat(content.map((piece) => Buffer.from(piece)))
  const head = Buffer.alloc(8)
  head.writeUInt32BE(8 + body.length)
  head.write(name, 4, 'latin1')
  return Buffer.concat([head, body])
}
const video = (duration: number) =>
  box(
    'moov',
    box('mdhd', Buffer.alloc(12), [0, 0, 0x75, 0x30], Buffer.alloc(8)),
    box('avcC', [1, 0x64, 0x00, 0x1f, 0xff]),
    box('mvex', box('mehd', [0, 0, 0, 0, 0, 0, 0, duration]), box('trex', [1, 2, 3])),
  )

it('is the same whatever the packager took for the duration', () => {
  expect(withoutDuration(video(1))).toEqual(withoutDuration(video(200)))
  expect(withoutDuration(video(1)).length).toBe(video(1).length)
  expect(withoutDuration(video(1)).includes('trex')).toBe(true)
})

it('says its codec and how it counts time', () => {
  expect(codecsOf(video(1))).toBe('avc1.64001f')
  expect(timescaleOf(video(1))).toBe(30_000)
  expect(codecsOf(box('moov', box('mp4a', [0])))).toBe('mp4a.40.2')
})

it('says nothing where it is no header', () => {
  expect(codecsOf(Buffer.from('not at all'))).toBeUndefined()
  expect(codecsOf(box('moov', box('hvcC', [1, 2, 3])))).toBeUndefined()
  expect(timescaleOf(box('moov'))).toBeUndefined()
})

import { expect, it } from 'vitest'
import { jpegSize } from './picture-size.rules.ts'

const segment = (marker: number, content: readonly number[]) => [0xff, marker, 0, content.length + 2, ...content]
const start = [0xff, 0xd8, ...segment(0xe0, [...Buffer.from('JFIF\0')])]
/** 8 bits per sample, 720 rows of 1280 pixels, 3 components. */
const frame = [8, 720 >> 8, 720 & 255, 1280 >> 8, 1280 & 255, 3]

it.each([0xc0, 0xc2])('jpegSize finds the size in a frame header with the marker %d', (marker) => {
  const tables = [...segment(0xdb, Array(65).fill(1)), ...segment(0xc4, Array(30).fill(1))]
  expect(jpegSize(Buffer.from([...start, ...tables, ...segment(marker, frame)]))).toEqual({ width: 1280, height: 720 })
})

it.each([
  ['another format', Buffer.from('\u0089PNG\r\n\u001a\n0123456789')],
  ['an empty file', Buffer.alloc(0)],
  ['a file that is cut off', Buffer.from([...start, ...segment(0xc0, frame).slice(0, 6)])],
  ['bytes after the header that are no segment', Buffer.from([...start, ...Array(20).fill(0)])],
])('jpegSize returns undefined for %s', (_, bytes) => {
  expect(jpegSize(bytes)).toBeUndefined()
})

import { describe, expect, it } from 'vitest'
import { foreignKind } from './file-kind.ts'

const latin1 = (text: string) => Buffer.from(text, 'latin1')
const filled = (text: string) => Buffer.concat([latin1(text), Buffer.alloc(100)])

describe('foreignKind', () => {
  it.each([
    ['ASCII', Buffer.from('Bring the projector.\r\n')],
    ['UTF-8', Buffer.from('Zürich, 会議, 👩‍👧\n')],
    ['UTF-8 that is cut within a character', Buffer.from('Zü').subarray(0, 2)],
    ['a byte order mark', Buffer.from('\ufeff#EXTM3U\n')],
    ['colors', Buffer.from('\u001b[31mred\u001b[0m\f\n')],
  ])('recognizes text: %s', (_, head) => {
    expect(foreignKind(head)).toBe('a text file')
  })

  it.each([
    ['\xff\xd8\xff\xe1\x10\x00Exif', 'a JPEG image'],
    ['\x89PNG\r\n\x1a\n', 'a PNG image'],
    ['\0\0\0\x18ftypheic', 'an image (HEIC or AVIF)'],
    ['RIFF\x10\0\0\0WEBPVP8 ', 'a WebP image'],
    ['PK\x03\x04\x14\0', 'a ZIP archive or an office document'],
    ['%PDF-1.7\n%\xe2\xe3\xcf\xd3', 'a PDF document'],
    ['SQLite format 3\0', 'a database'],
  ])('recognizes %j as %s', (text, kind) => {
    expect(foreignKind(filled(text))).toBe(kind)
  })

  it.each([
    ['MP4', '\0\0\0\x18ftypisom'],
    ['QuickTime without ftyp, with a box length that looks like a ZIP archive', 'PK\x03\x04mdat'],
    ['Matroska', '\x1a\x45\xdf\xa3\x9f'],
    ['AVI', 'RIFF\x10\0\0\0AVI LIST'],
    ['WAV', 'RIFF\x10\0\0\0WAVEfmt '],
    ['FLV', 'FLV\x01\x05'],
    ['Ogg', 'OggS\0\x02'],
    ['MPEG program stream', '\0\0\x01\xba\x44'],
    ['MP3', 'ID3\x04\0\0'],
    ['MP3 without tags', '\xff\xfb\x90\x64\0'],
    ['AMR', '#!AMR\n\x3c'],
    ['GIF', 'GIF89a\x40\x01'],
    ['an unknown format', '\x01\x02\x03\x04'],
  ])('accepts %s', (_, text) => {
    expect(foreignKind(filled(text))).toBeUndefined()
  })

  it('accepts uncompressed video with a text header, even if all its bytes are letters', () => {
    expect(foreignKind(latin1(`YUV4MPEG2 W640 H360 F25:1\nFRAME\n${'P'.repeat(4000)}`))).toBeUndefined()
  })

  it('accepts a transport stream that starts in the middle of a packet that looks like an image', () => {
    const head = Buffer.alloc(2000)
    head.write('\x89PNG\r\n', 'latin1')
    for (let offset = 100; offset < head.length; offset += 188) head[offset] = 0x47
    expect(foreignKind(head)).toBeUndefined()
  })
})

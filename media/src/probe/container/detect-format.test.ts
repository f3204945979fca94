import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { detectFormat } from './detect-format.ts'

const head = (text: string, bytes = 4096) => {
  const whole = Buffer.alloc(bytes)
  whole.write(text, 'latin1')
  return whole
}
/** Creates a file with sync bytes at a fixed distance. */
const withSyncBytes = (every: number, first: number, count = 5) => {
  const whole = Buffer.alloc(4096)
  for (let n = 0; n < count; n++) whole[first + n * every] = 0x47
  return whole
}

describe('detectFormat', () => {
  it.each([
    ['\0\0\0\x18ftypisom', 'mp4'],
    ['\0\0\0\x18ftyp3gp5', 'mp4'],
    ['\0\0\0\x14ftypqt  ', 'quicktime'],
    ['\0\0\x10\0moov\0\0\0\x6cmvhd', 'quicktime'],
    ['\0\0\0\x08wide\0\0\0\0mdat', 'quicktime'],
    ['\0\0\0\x01mdat\0\0\0\0', 'quicktime'],
    ['\x1a\x45\xdf\xa3\x9f\x42\x82\x88matroska', 'matroska'],
    ['\x1a\x45\xdf\xa3\x9f\x42\x82\x84webm', 'webm'],
    ['RIFF\0\0\0\0AVI LIST', 'avi'],
    ['FLV\x01\x05', 'flv'],
    ['OggS\0\x02', 'ogg'],
    ['\x30\x26\xb2\x75\x8e\x66\xcf\x11', 'asf'],
    ['\0\0\x01\xba\x44', 'mpegps'],
    ['\x06\x0e\x2b\x34\x02\x05\x01\x01\x0d\x01\x02\x01\x01\x02', 'mxf'],
  ])('%j is detected as %s', (text, container) => {
    expect(detectFormat(head(text))).toEqual({ kind: 'container', container })
  })

  it.each([
    [188, 0],
    [188, 100],
    [192, 4],
    [204, 0],
  ])('detects a transport stream with packets of %i bytes, starting at %i', (every, first) => {
    expect(detectFormat(withSyncBytes(every, first))).toEqual({
      kind: 'container',
      container: 'mpegts',
    })
  })

  it('does not detect a transport stream by only four sync bytes', () => {
    expect(detectFormat(withSyncBytes(188, 0, 4)).kind).toBe('not-a-video')
  })

  it.each([
    ['#EXTM3U\n', 'not-a-video', 'HLS'],
    ['\xef\xbb\xbf#EXTM3U\n', 'not-a-video', 'HLS'],
    ['<?xml version="1.0"?><MPD >', 'not-a-video', 'DASH'],
    ['ffconcat version 1.0', 'not-a-video', 'FFmpeg'],
    ['v=0\no=- 0', 'not-a-video', 'SDP'],
    ['<!DOCTYPE html>', 'not-a-video', 'web page'],
    ['<svg >', 'not-a-video', 'SVG'],
    ['%PDF-1.7', 'not-a-video', 'PDF'],
    ['PK\x03\x04', 'not-a-video', 'ZIP'],
    ['\x1f\x8b\x08', 'not-a-video', 'gzip'],
    ['\xff\xd8\xff\xe0', 'not-a-video', 'JPEG'],
    ['\0\0\0\x18ftypheic', 'not-a-video', 'HEIC'],
    ['ID3\x04', 'audio', 'MP3'],
    ['RIFF\0\0\0\0WAVE', 'audio', 'WAV'],
    ['GIF89a', 'other-container', 'GIF'],
    ['.RMF', 'other-container', 'RealMedia'],
  ])('classifies %j as %s: %s', (text, kind, name) => {
    expect(detectFormat(head(text))).toEqual({ kind, looksLike: expect.stringContaining(name) })
  })

  it('reports an empty file', () => {
    expect(detectFormat(Buffer.alloc(0))).toEqual({
      kind: 'not-a-video',
      looksLike: 'an empty file',
    })
  })

  it('does not detect any text as a video', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 2000 })
    const printable = text.map((written) => written.replaceAll('G', 'g').replace(/\p{Cc}/gu, ' '))
    fc.assert(fc.property(printable, (written) => detectFormat(Buffer.from(written)).kind !== 'container'))
  })
})

/** Videos with known difficulties, and the expected results of the probe. */
import { expect } from 'vitest'

const fraction = (numerator: number, denominator = 1) => ({ numerator, denominator })
const displayed = (width: number, height: number) => ({ video: { width, height } })

/** Expected values that do not depend on the version of the encoder. */
export const probeCases: Readonly<Record<string, object>> = {
  'plain.mp4': {
    container: 'mp4',
    durationSeconds: 2,
    video: {
      ...{
        codec: 'h264',
        bitDepth: 8,
        frames: 60,
        frameRate: fraction(30),
        isVariableFrameRate: false,
      },
      ...{
        storedWidth: 320,
        storedHeight: 180,
        width: 320,
        height: 180,
        rotationDegrees: 0,
        isInterlaced: false,
      },
      ...{ dynamicRange: 'sdr', sampleAspect: fraction(1), startSeconds: 0, streamIndex: 0 },
    },
    audio: [
      {
        codec: 'aac',
        channels: 1,
        layout: 'mono',
        sampleRate: 48_000,
        isDefault: true,
        streamIndex: 1,
      },
    ],
    subtitles: [],
    chapters: [],
  },
  'moov-first.mp4': { durationSeconds: 2 },
  'vertical.mp4': displayed(180, 320),
  'four-three.mp4': displayed(256, 192),
  'odd.mp4': { video: { width: 213, height: 119, pixelFormat: 'yuv444p' } },
  'odd.webm': { container: 'webm', video: { width: 213, height: 119, codec: 'vp9' } },
  'variable-rate.mp4': { video: { isVariableFrameRate: true, frames: 86 }, durationSeconds: 3.984 },
  'no-audio.mp4': { audio: [] },
  'surround.mp4': { audio: [{ channels: 6, layout: '5.1' }] },
  'rotated-90.mp4': {
    video: { rotationDegrees: 90, storedWidth: 320, storedHeight: 180, width: 180, height: 320 },
  },
  'rotated-180.mp4': { video: { rotationDegrees: 180, width: 320, height: 180 } },
  'rotated-270.mp4': { video: { rotationDegrees: 270, width: 180, height: 320 } },
  'hdr10.mp4': {
    video: { dynamicRange: 'hdr10', bitDepth: 10, colourPrimaries: 'bt2020', codec: 'hevc' },
  },
  'hlg.mp4': { video: { dynamicRange: 'hlg', bitDepth: 10, colourTransfer: 'arib-std-b67' } },
  'ten-bit.mp4': { video: { dynamicRange: 'sdr', bitDepth: 10, pixelFormat: 'yuv420p10le' } },
  'short.mp4': { durationSeconds: 0.5 },
  'anamorphic.mp4': {
    video: { storedWidth: 180, width: 256, height: 144, sampleAspect: fraction(64, 45) },
  },
  'anamorphic-rotated.mp4': {
    video: { storedWidth: 180, storedHeight: 144, width: 144, height: 256 },
  },
  'unknown-aspect.mp4': { video: { width: 320, height: 180, sampleAspect: fraction(1) } },
  'interlaced.mp4': { video: { isInterlaced: true, fieldOrder: 'tt', frameRate: fraction(25) } },
  'late-audio.mp4': { audio: [{ startSeconds: expect.closeTo(1.2, 1) }], durationSeconds: 3 },
  'cover-first.mp4': { video: { codec: 'h264', width: 320 } },
  'ultrawide.mp4': displayed(640, 66),
  'tiny.mp4': displayed(64, 48),
  'full-range.mp4': { video: { colourRange: 'pc' } },
  'fast.mp4': { video: { frameRate: fraction(120), isVariableFrameRate: false } },
  'edit-list.mp4': { durationSeconds: 1.5 },
  'damaged-later.mp4': { durationSeconds: 2 },
  'two-languages.mp4': {
    audio: [
      { language: 'en', isDefault: true },
      { language: 'de', isDefault: false, sampleRate: 44_100 },
    ],
    subtitles: [{ codec: 'mov_text', language: 'en', isText: true }],
  },
  'chapters.mkv': {
    container: 'matroska',
    chapters: [
      { startSeconds: 0, endSeconds: 0.75, title: 'Opening' },
      { startSeconds: 0.75, endSeconds: 2, title: 'Zürich 🎬' },
    ],
  },
  'live.webm': { container: 'webm', durationSeconds: expect.closeTo(3, 1) },
  'joined-late.webm': { durationSeconds: expect.closeTo(3, 1) },
  'fragmented.mp4': { durationSeconds: 3 },
  'fragmented-indexed.mp4': { durationSeconds: 3 },
  'fragmented-late.mp4': { durationSeconds: 3 },
  'fragmented-longer-audio.mp4': { durationSeconds: expect.closeTo(12, 1) },
  'plain.mov': { container: 'quicktime', durationSeconds: 2 },
  'plain.mkv': { container: 'matroska', durationSeconds: expect.closeTo(2, 1) },
  'plain.webm': { container: 'webm', durationSeconds: expect.closeTo(2, 1) },
  'plain.ts': { container: 'mpegts', durationSeconds: expect.closeTo(2, 1) },
  'plain.m2ts': { container: 'mpegts', durationSeconds: expect.closeTo(2, 1) },
  'plain.flv': { container: 'flv', durationSeconds: expect.closeTo(2, 1) },
  'plain.avi': {
    container: 'avi',
    durationSeconds: expect.closeTo(2, 1),
    video: { codec: 'mpeg4' },
  },
  'plain.mpg': {
    container: 'mpegps',
    durationSeconds: expect.closeTo(2, 1),
    video: { codec: 'mpeg2video' },
  },
  'plain.wmv': {
    container: 'asf',
    durationSeconds: expect.closeTo(2, 0),
    video: { codec: 'wmv2' },
  },
  'plain.mxf': { container: 'mxf', durationSeconds: expect.closeTo(2, 1) },
  'plain.ogv': {
    container: 'ogg',
    durationSeconds: expect.closeTo(2, 1),
    video: { codec: 'theora' },
  },
}

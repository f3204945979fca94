/** Real videos with known traps, through the real programs. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { makeSources } from '../../testing/sources.ts'
import { openSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import type { ReadCosts } from '../source/block-reader.ts'
import { fileObject } from '../source/file-object.ts'
import { localFile, type SourceObject } from '../source/source.ts'
import { probe } from './probe.ts'
import { ProbeInterrupted, UnusableMedia } from './unusable-media.ts'

let directory: string
let sandbox: Sandbox
beforeAll(async () => {
  directory = await makeSources()
  sandbox = await openSandbox({ mode: 'bubblewrap' })
}, 120_000)

const never = new AbortController().signal
const probeFile = (name: string) =>
  probe(sandbox, localFile(join(directory, name)), { signal: never })
const fraction = (numerator: number, denominator = 1) => ({ numerator, denominator })
const shown = (width: number, height: number) => ({ video: { width, height } })

/** What must be known of each, and nothing that depends on the encoder's mood. */
const facts: Record<string, object> = {
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
  'vertical.mp4': shown(180, 320),
  'four-three.mp4': shown(256, 192),
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
  'ultrawide.mp4': shown(640, 66),
  'tiny.mp4': shown(64, 48),
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

describe('what is known of a file', () => {
  it.each(Object.entries(facts))('%s', async (name, expected) => {
    const found = await probeFile(name)
    expect(found).toMatchObject(expected)
    // It is stored as JSON: nothing may be lost on the way.
    expect(JSON.parse(JSON.stringify(found))).toEqual(found)
  })
})

describe('what is refused', () => {
  it.each([
    ['truncated.mp4', 'file_damaged', 'upload it again'],
    ['hollow.mp4', 'file_damaged', 'Not one picture'],
    ['audio-only.m4a', 'no_video_stream', 'sound'],
    ['cover-only.m4a', 'no_video_stream', 'sound'],
    ['cover.mp3', 'no_video_stream', 'MP3'],
    ['cover.jpg', 'not_a_video', 'JPEG'],
    ['words.srt', 'not_a_video', 'subtitles'],
    ['animation.gif', 'container_not_supported', 'GIF'],
    ['lossless.avi', 'codec_not_supported', 'zmbv'],
    ['one-picture.mp4', 'video_too_short', '0.040'],
  ])('%s: %s', async (name, code, words) => {
    await expect(probeFile(name)).rejects.toMatchObject({
      name: 'UnusableMedia',
      code,
      detail: expect.stringContaining(words),
    })
  })
})

describe('a file that was cut off while it was copied', () => {
  /** As if only its beginning had arrived. */
  async function beginningOf(name: string, share: number): Promise<SourceObject> {
    const { sizeBytes, read } = await fileObject(join(directory, name))
    return { sizeBytes: Math.floor(sizeBytes * share), read }
  }

  it.each([
    ['moov-first.mp4', 0.05],
    ['moov-first.mp4', 0.6],
    ['moov-first.mp4', 0.999],
    ['plain.mov', 0.5],
    ['plain.mkv', 0.5],
    ['plain.webm', 0.5],
    ['plain.avi', 0.5],
  ])('%s, of which %d is there, is told so', async (name, share) => {
    const { sizeBytes: wholeBytes } = await fileObject(join(directory, name))
    const cut = await beginningOf(name, share)
    const verdict = await probe(sandbox, cut, { signal: never }).catch((error: unknown) => error)
    expect(verdict).toMatchObject({ name: 'UnusableMedia', code: 'file_damaged' })
    const told = /should have at least ([\d,]+) bytes, but only ([\d,]+) arrived/.exec(
      String(verdict),
    )
    const [least = Number.NaN, arrived = Number.NaN] = (told ?? [])
      .slice(1)
      .map((number) => Number(number.replaceAll(',', '')))
    expect(arrived).toBe(cut.sizeBytes)
    expect(least).toBeGreaterThan(arrived)
    expect(least).toBeLessThanOrEqual(wholeBytes)
  })
})

describe('an object in storage', () => {
  const objectOf = (name: string) => fileObject(join(directory, name))

  it.each(['bubblewrap', 'none'] as const)('%s: is known as well as a file', async (mode) => {
    const inMode = await openSandbox({ mode })
    for (const name of ['plain.mp4', 'moov-first.mp4', 'live.webm', 'plain.ts', 'fragmented.mp4']) {
      const { durationSeconds, video } = await probe(inMode, await objectOf(name), {
        signal: never,
      })
      const asFile = await probeFile(name)
      expect({ durationSeconds, video }).toEqual({
        durationSeconds: asFile.durationSeconds,
        video: asFile.video,
      })
    }
  })

  it('is read once, whoever looks', async () => {
    let costs: ReadCosts | undefined
    const object = await objectOf('plain.mp4')
    await probe(sandbox, object, {
      signal: never,
      onCosts: (told) => {
        costs = told
      },
    })
    expect(costs).toMatchObject({ bytes: object.sizeBytes, requests: 1 })
  })

  /** Fails, or does something else, from the nth read on. */
  async function objectThat(
    name: string,
    from: number,
    read: SourceObject['read'],
  ): Promise<SourceObject> {
    const object = await objectOf(name)
    let reads = 0
    return {
      // Far larger than a first look, so that a second read is needed.
      sizeBytes: object.sizeBytes,
      read: (range, signal) => (reads++ < from ? object.read(range, signal) : read(range, signal)),
    }
  }

  it.each([0, 1])('storage that is away at read %i is no verdict about the file', async (from) => {
    const away = new Error('connect ECONNREFUSED')
    const object = await objectThat('plain.mxf', from, () => Promise.reject(away))
    const failed = probe(sandbox, object, { signal: never })
    await expect(failed).rejects.toThrow(ProbeInterrupted)
    await expect(failed).rejects.toMatchObject({ reason: 'source-unreadable', cause: away })
  })

  it('storage that breaks off in the middle is no verdict either', async () => {
    const object = await objectThat('plain.mxf', 1, async function* () {
      yield Buffer.alloc(1000)
    } as unknown as SourceObject['read'])
    await expect(probe(sandbox, object, { signal: never })).rejects.toMatchObject({
      name: 'ProbeInterrupted',
      reason: 'source-unreadable',
    })
  })

  it('a probe that is called off while storage hangs ends at once', async () => {
    const startedAt = performance.now()
    const object = await objectThat('plain.mxf', 1, (_, signal) =>
      sleep(60_000, undefined, { signal }).then(() => (async function* () {})()),
    )
    await expect(
      probe(sandbox, object, { signal: AbortSignal.timeout(500) }),
    ).rejects.toMatchObject({
      name: 'ProbeInterrupted',
      reason: 'aborted',
    })
    expect(performance.now() - startedAt).toBeLessThan(2000)
  })

  it('one that would have to be read to its end is refused as too costly', async () => {
    // A header and then nothing that decodes, for as long as anybody reads.
    const head = await objectOf('plain.ts')
    const gibibyte = 2 ** 30
    const object: SourceObject = {
      sizeBytes: gibibyte,
      read: async ({ start, end }, signal) =>
        end <= head.sizeBytes ? head.read({ start, end }, signal) : repeated(start, end),
    }
    async function* repeated(start: number, end: number) {
      const packet = Buffer.alloc(188, 0xff)
      packet[0] = 0x47
      // A packet of the null stream, wherever the range begins.
      const shift = start % 188
      yield Buffer.alloc(end - start + shift, packet).subarray(shift)
    }
    const verdict = probe(sandbox, object, { signal: never })
    await expect(verdict).rejects.toThrow(UnusableMedia)
    await expect(verdict).rejects.toMatchObject({
      code: 'probe_too_costly',
      detail: expect.stringContaining('192 MiB'),
    })
  })
})

/** Probes real videos with known difficulties, with the real programs. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { probeCases } from '../../testing/probe-cases.ts'
import { createSources } from '../../testing/sources/sources.ts'
import { openSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import type { ReadCosts } from '../source/block-reader.ts'
import { fileObject } from '../source/file-object.ts'
import { localFile, type SourceObject } from '../source/source.ts'
import { probe } from './probe.ts'
import { ProbeInterrupted, UnusableMedia } from './unusable-media.ts'

let directory: string
let sandbox: Sandbox
beforeAll(async () => {
  directory = await createSources()
  sandbox = await openSandbox({ mode: 'bubblewrap' })
  // Making the sources takes minutes when they are not cached.
}, 300_000)

const never = new AbortController().signal
const probeFile = (name: string) => probe(sandbox, localFile(join(directory, name)), { signal: never })

/** One file per feature; probe.long.test.ts uses all files. */
const sample: Record<string, string> = {
  'all properties': 'plain.mp4',
  'moov at the beginning': 'moov-first.mp4',
  'odd frame size': 'odd.webm',
  rotation: 'rotated-270.mp4',
  'anamorphic pixels': 'anamorphic-rotated.mp4',
  'variable frame rate': 'variable-rate.mp4',
  interlacing: 'interlaced.mp4',
  HDR: 'hdr10.mp4',
  'surround audio': 'surround.mp4',
  'audio that starts late': 'late-audio.mp4',
  'cover image': 'cover-first.mp4',
  'languages and subtitles': 'two-languages.mp4',
  chapters: 'chapters.mkv',
  'edit list': 'edit-list.mp4',
  'no duration in the header': 'live.webm',
  'fragmented file': 'fragmented.mp4',
  'fragmented file that starts late': 'fragmented-late.mp4',
  'no index': 'plain.ts',
  'old codec': 'plain.mpg',
}

const cachedProbes = new Map<string, ReturnType<typeof probeFile>>()

/** Caches results, because several tests use the same file. */
function probeCached(name: string) {
  const found = cachedProbes.get(name) ?? probeFile(name)
  cachedProbes.set(name, found)
  return found
}

describe('the probe result', () => {
  it.each(Object.entries(sample))('is as expected, with %s: %s', async (_, name) => {
    const found = await probeCached(name)
    expect(found).toMatchObject(probeCases[name] ?? {})
    // The result is stored as JSON, which must not lose any value.
    expect(JSON.parse(JSON.stringify(found))).toEqual(found)
  })
})

describe('rejected files', () => {
  it.each([
    ['truncated.mp4', 'file_damaged', 'upload it again'],
    ['hollow.mp4', 'file_damaged', 'No frame'],
    ['audio-only.m4a', 'no_video_stream', 'audio'],
    ['cover-only.m4a', 'no_video_stream', 'audio'],
    ['cover.mp3', 'no_video_stream', 'MP3'],
    ['cover.jpg', 'not_a_video', 'JPEG'],
    ['subtitles.srt', 'not_a_video', 'subtitles'],
    ['animation.gif', 'container_not_supported', 'GIF'],
    ['lossless.avi', 'codec_not_supported', 'zmbv'],
    ['one-frame.mp4', 'video_too_short', '0.040'],
  ])('%s is rejected with %s', async (name, code, message) => {
    await expect(probeFile(name)).rejects.toMatchObject({
      name: 'UnusableMedia',
      code,
      detail: expect.stringContaining(message),
    })
  })
})

describe('a truncated file', () => {
  /** An object with only the beginning of the file. */
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
  ])('%s, cut to %d of its size, is rejected with an error that contains both sizes', async (name, share) => {
    const { sizeBytes: wholeBytes } = await fileObject(join(directory, name))
    const cut = await beginningOf(name, share)
    const error = await probe(sandbox, cut, { signal: never }).catch((error: unknown) => error)
    expect(error).toMatchObject({ name: 'UnusableMedia', code: 'file_damaged' })
    const sizes = /should have at least ([\d,]+) bytes, but only ([\d,]+) arrived/.exec(String(error))
    const [minimum = Number.NaN, arrived = Number.NaN] = (sizes ?? [])
      .slice(1)
      .map((number) => Number(number.replaceAll(',', '')))
    expect(arrived).toBe(cut.sizeBytes)
    expect(minimum).toBeGreaterThan(arrived)
    expect(minimum).toBeLessThanOrEqual(wholeBytes)
  })
})

describe('an object in storage', () => {
  const objectOf = (name: string) => fileObject(join(directory, name))

  it.each(['bubblewrap', 'none'] as const)(
    'has the same probe result as a local file with sandbox mode %s',
    async (mode) => {
      const inMode = await openSandbox({ mode })
      for (const name of ['plain.mp4', 'moov-first.mp4', 'live.webm', 'plain.ts', 'fragmented.mp4']) {
        const { durationSeconds, video } = await probe(inMode, await objectOf(name), {
          signal: never,
        })
        const asFile = await probeCached(name)
        expect({ durationSeconds, video }).toEqual({
          durationSeconds: asFile.durationSeconds,
          video: asFile.video,
        })
      }
    },
  )

  it('is read only once by a probe', async () => {
    let costs: ReadCosts | undefined
    const object = await objectOf('plain.mp4')
    await probe(sandbox, object, {
      signal: never,
      onCosts: (total) => {
        costs = total
      },
    })
    expect(costs).toMatchObject({ bytes: object.sizeBytes, requests: 1 })
  })

  /** Returns an object that behaves like the file for the first `from` reads, and then calls `read`. */
  async function objectFailingFrom(name: string, from: number, read: SourceObject['read']): Promise<SourceObject> {
    const object = await objectOf(name)
    let reads = 0
    return {
      // The object is larger than the first read, so that a second one is needed.
      sizeBytes: object.sizeBytes,
      read: (range, signal) => (reads++ < from ? object.read(range, signal) : read(range, signal)),
    }
  }

  it.each([0, 1])('unavailable storage at read %i interrupts the probe', async (from) => {
    const unavailable = new Error('connect ECONNREFUSED')
    const object = await objectFailingFrom('plain.mxf', from, () => Promise.reject(unavailable))
    const result = probe(sandbox, object, { signal: never })
    await expect(result).rejects.toThrow(ProbeInterrupted)
    await expect(result).rejects.toMatchObject({ reason: 'source-unreadable', cause: unavailable })
  })

  it('an incomplete response of storage interrupts the probe', async () => {
    const object = await objectFailingFrom('plain.mxf', 1, async function* () {
      yield Buffer.alloc(1000)
    } as unknown as SourceObject['read'])
    await expect(probe(sandbox, object, { signal: never })).rejects.toMatchObject({
      name: 'ProbeInterrupted',
      reason: 'source-unreadable',
    })
  })

  it('an aborted probe does not wait for storage', async () => {
    const object = await objectFailingFrom('plain.mxf', 1, (_, signal) =>
      sleep(3_600_000, undefined, { signal }).then(() => (async function* () {})()),
    )
    await expect(probe(sandbox, object, { signal: AbortSignal.timeout(500) })).rejects.toMatchObject({
      name: 'ProbeInterrupted',
      reason: 'aborted',
    })
  })

  it('is rejected as too costly if most of it would have to be read', async () => {
    // A valid header, followed by data without frames.
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
      // Yields null packets that are aligned to the start of the object, not to the start of the range.
      const shift = start % 188
      yield Buffer.alloc(end - start + shift, packet).subarray(shift)
    }
    const result = probe(sandbox, object, { signal: never })
    await expect(result).rejects.toThrow(UnusableMedia)
    await expect(result).rejects.toMatchObject({
      code: 'probe_too_costly',
      detail: expect.stringContaining('192 MiB'),
    })
  })
})

/** Real videos with known traps, through the real programs. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { probeCases } from '../../testing/probe-cases.ts'
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
})

const never = new AbortController().signal
const probeFile = (name: string) =>
  probe(sandbox, localFile(join(directory, name)), { signal: never })

/** One for each thing that is found out; probe.media.test.ts takes all of them. */
const sample: Record<string, string> = {
  'all of it': 'plain.mp4',
  'a header that stands first': 'moov-first.mp4',
  'a size that is odd': 'odd.webm',
  'which way is up': 'rotated-270.mp4',
  'pixels that are not square': 'anamorphic-rotated.mp4',
  'pictures that come when they like': 'variable-rate.mp4',
  'two fields in a picture': 'interlaced.mp4',
  'more light than a screen has': 'hdr10.mp4',
  'six channels': 'surround.mp4',
  'sound that begins late': 'late-audio.mp4',
  'which picture is none of the film': 'cover-first.mp4',
  'languages and subtitles': 'two-languages.mp4',
  chapters: 'chapters.mkv',
  'what is cut away': 'edit-list.mp4',
  'a length that is told nowhere': 'live.webm',
  'a length that pieces add up to': 'fragmented.mp4',
  'a beginning that is not 0': 'fragmented-late.mp4',
  'a stream without an index': 'plain.ts',
  'a codec of another time': 'plain.mpg',
}

const known = new Map<string, ReturnType<typeof probeFile>>()

/** A file is the same whoever asks: it is looked into once. */
function knownOf(name: string) {
  const found = known.get(name) ?? probeFile(name)
  known.set(name, found)
  return found
}

describe('what is known of a file', () => {
  it.each(Object.entries(sample))('%s: %s', async (_, name) => {
    const found = await knownOf(name)
    expect(found).toMatchObject(probeCases[name] ?? {})
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
      const asFile = await knownOf(name)
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
    expect(performance.now() - startedAt).toBeLessThan(30_000)
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

/** Encodes parts of real videos with the real programs, joins them and decodes the result. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decodeFirstFrame, type EncodedVideo, encodeVideo, tracksOf } from '../../testing/encoded-video.ts'
import { expectComplete, expectCompleteInParts, type PartCase } from '../../testing/part-cases.ts'
import { planOf, rungOf } from '../../testing/plans.ts'
import { createLongSources } from '../../testing/sources/long-sources.ts'
import { createSources } from '../../testing/sources/sources.ts'
import type { Plan } from '../plan/plan.ts'
import { openSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import { fileObject } from '../source/file-object.ts'
import { localFile, type SourceObject } from '../source/source.ts'
import { encodePart } from './encode-part.ts'
import type { EncodedTrack } from './output/encoded-part.ts'
import { PartFailed, PartInterrupted } from './part-errors.ts'
import type { SegmentCounts } from './progress.ts'

let short: string
let long: string
let sandbox: Sandbox
beforeAll(async () => {
  short = await createSources()
  long = await createLongSources()
  sandbox = await openSandbox({ mode: 'bubblewrap' })
}, 300_000)

const never = new AbortController().signal
const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const pathOf = (name: string) => join(existsSync(join(long, name)) ? long : short, name)

async function temporary() {
  const directory = await mkdtemp(join(tmpdir(), 'make-part-'))
  return { directory, [Symbol.asyncDispose]: () => rm(directory, { recursive: true }) }
}

/** The most difficult files; encode-part.long.test.ts uses all files. */
const sample: Record<string, PartCase> = {
  'variable frame rate': 'variable-rate.mp4',
  'video that starts late': 'late-video.mkv',
  'frames that cannot be decoded': 'damaged.mp4',
  'a single frame': 'one-frame.mp4',
  rotation: 'rotated-90.mp4',
  'tone mapping': 'hdr10.mp4',
}

describe('all parts of a video', () => {
  it.each(Object.entries(sample))('form a complete video, with %s: %s', (_, name) =>
    expectCompleteInParts(sandbox, pathOf(name), name),
  )

  it('are identical if they are encoded in another order and from an object instead of a file', async () => {
    // The maximum bitrate is too high to be reached: x264's rate control is not deterministic with several threads.
    const rungs = [{ ...rungOf('240p', 64, 36), bitrateMax: 1e8 }]
    const plan = planOf({ durationSeconds: 9, audioStream: 1, chunkSegments: 1, rungs })
    const path = pathOf('sixty.mp4')
    await using first = await encodeVideo(sandbox, localFile(path), plan)
    const backwards = plan.parts.toReversed()
    await using second = await encodeVideo(sandbox, await fileObject(path), plan, backwards)
    for (const track of ['240p', 'audio'] as const) {
      const files = await Promise.all([first.join(track), second.join(track)])
      const [a, b] = await Promise.all(files.map((file) => readFile(file)))
      expect(a && b?.equals(a)).toBe(true)
    }
  })

  it('can also be encoded in sandbox mode none', async () => {
    const plan = planOf({ durationSeconds: 0.5, audioStream: 1 })
    const bare = await openSandbox({ mode: 'none' })
    await using video = await encodeVideo(bare, await fileObject(pathOf('short.mp4')), plan)
    await expectComplete(plan, video)
  })
})

describe('a part', () => {
  let video: EncodedVideo
  beforeAll(async () => {
    const plan = planOf({ durationSeconds: 9, audioStream: 1 })
    video = await encodeVideo(sandbox, localFile(pathOf('plain.mp4')), plan)
  })
  afterAll(() => video[Symbol.asyncDispose]())

  it('leaves only its segments and their headers in the output directory', () => {
    const directories = readdirSync(video.directory).toSorted()
    const left = directories.map((part) => readdirSync(join(video.directory, part), { recursive: true }).toSorted())
    const files = (track: string, ...numbers: string[]) => [
      track,
      ...numbers.map((number) => `${track}/${number}.m4s`),
      `${track}/init.mp4`,
    ]
    expect(left).toEqual([
      [...files('240p', '00000', '00001'), ...files('audio', '00000', '00001')],
      [...files('240p', '00002'), ...files('360p', '00000', '00001', '00002'), ...files('audio', '00002')],
    ])
    const seconds = video.parts.map(({ tracks }) =>
      tracks.map((track) => track.segments.map((segment) => segment.seconds)),
    )
    expect(seconds).toEqual([
      [
        [4, 4],
        [(188 * 1024) / 48_000, (187 * 1024) / 48_000],
      ],
      [[1], [4, 4, 1], [(47 * 1024) / 48_000]],
    ])
  })

  it("has headers without the packager's name and version", async () => {
    const tracks = video.parts.flatMap((part) => part.tracks)
    const headers = await Promise.all(tracks.map(({ init }) => readFile(init.path, 'latin1')))
    expect(headers.filter((header) => /packager|release/.test(header))).toEqual([])
    expect(headers).toHaveLength(5)
  })

  it('contains all audio, even hours into a video whose segments are not a whole number of audio samples', async () => {
    const frameRate = { numerator: 1998, denominator: 100 }
    const plan = planOf({ durationSeconds: 40_000, audioStream: 1, frameRate, chunkSegments: 2 })
    const [last] = plan.parts.slice(-2)
    const source = localFile(pathOf('plain.mp4'))
    await using video = await encodeVideo(sandbox, source, plan, last && [last])
    const [sound] = tracksOf(video.parts, 'audio')
    const frames = sound?.segments.map(({ seconds }) => Math.round((seconds * 48_000) / 1024))
    // The part lasts 8.008 s (375.4 AAC frames). The remainder that the packager leaves is in the last segment.
    expect(frames?.reduce((sum, count) => sum + count, 0)).toBeOneOf([375, 376])
    expect(frames).toHaveLength(2)
  })

  it('has keyframes with durations that can each be decoded alone', async () => {
    for (const { init, segments } of tracksOf(video.parts, '240p')) {
      for (const { path, keyframes, seconds } of segments) {
        expect(keyframes.reduce((sum, keyframe) => sum + keyframe.seconds, 0)).toBeCloseTo(seconds, 9)
        for (const { offset, bytes } of keyframes) {
          const range = (await readFile(path)).subarray(offset, offset + bytes)
          const alone = join(video.directory, 'alone.mp4')
          await writeFile(alone, Buffer.concat([await readFile(init.path), range]))
          const luma = await decodeFirstFrame(alone)
          expect(luma.length).toBe(64 * 36)
        }
      }
    }
  })

  it('reports the number of finished segments', async () => {
    const plan = planOf({ durationSeconds: 13, audioStream: 1 })
    await using scratch = await temporary()
    const reported: SegmentCounts[] = []
    const [, chunk] = plan.parts
    if (!chunk) throw new Error('no chunk')
    await encodePart(sandbox, localFile(pathOf('plain.mp4')), plan, chunk, {
      ...{ directory: scratch.directory, signal: never },
      onProgress: (made) => reported.push(made),
    })
    expect(reported.at(-1)).toEqual({ '240p': 2, '360p': 4, audio: 2 })
    const counts = reported.map((made) => made['360p'] ?? 0)
    expect(counts).toEqual(counts.toSorted((a, b) => a - b))
  })
})

/** After failures, tracks are encoded separately, so that one track does not block the others. */
describe('a single track of a part', () => {
  // x264 uses as many threads as there are processors, and its rate control is not deterministic with several threads.
  let processors: string
  beforeAll(() => {
    processors = processorsOf(taskset('-p', String(process.pid)))
    taskset('-p', processors.split(/[,-]/)[0] ?? '', String(process.pid))
  })
  afterAll(() => void taskset('-p', processors, String(process.pid)))
  const taskset = (...given: string[]) => execFileSync('taskset', ['-c', ...given]).toString()
  const processorsOf = (output: string) => /list: (\S+)/.exec(output)?.[1] ?? ''

  const allOf = (tracks: readonly EncodedTrack[]) => Promise.all(tracks.map(contentOf))
  const contentOf = async ({ name, codecs, init, segments }: EncodedTrack) => ({
    ...{ name, codecs, init: await readFile(init.path) },
    segments: await Promise.all(segments.map(({ path }) => readFile(path))),
  })

  it('is identical to the same track encoded together with the others', async () => {
    const plan = planOf({ durationSeconds: 21, audioStream: 1, chunkSegments: 3 })
    const [, chunk] = plan.parts
    if (!chunk) throw new Error('no chunk')
    const singles = chunk.tracks.map((track) => ({ ...chunk, tracks: [track] }))
    const source = localFile(pathOf('late-audio.ts'))
    await using whole = await encodeVideo(sandbox, source, plan, [chunk])
    await using divided = await encodeVideo(sandbox, source, plan, singles)
    const encodedTracks = ({ parts }: EncodedVideo) => allOf(parts.flatMap(({ tracks }) => tracks))
    const [together, alone] = await Promise.all([encodedTracks(whole), encodedTracks(divided)])
    expect(alone.map((track) => [track.name, track.segments.length])).toEqual([
      ['240p', 1],
      ['360p', 3],
      ['audio', 1],
    ])
    for (const [index, track] of alone.entries()) {
      expect(track.init.equals(together[index]?.init ?? Buffer.alloc(0))).toBe(true)
      expect(track.segments.every(({ length }) => length > 0)).toBe(true)
      expect(track.segments.map(hash)).toEqual(together[index]?.segments.map(hash))
    }
  })
})

describe('failures', () => {
  const plan = planOf({ durationSeconds: 21, audioStream: 1 })
  const [opening] = plan.parts
  const encodeFirst = async (source: Parameters<typeof encodePart>[1], signal = never, usedPlan: Plan = plan) => {
    await using scratch = await temporary()
    const part = usedPlan.parts[0] ?? opening
    if (!part) throw new Error('no part')
    return await encodePart(sandbox, source, usedPlan, part, {
      directory: scratch.directory,
      signal,
    })
  }

  it('encodePart throws PartInterrupted if it is aborted', async () => {
    const stop = new AbortController()
    const made = encodeFirst(localFile(pathOf('plain.mp4')), stop.signal)
    setTimeout(() => stop.abort(), 200)
    await expect(made).rejects.toMatchObject({ name: 'PartInterrupted', reason: 'aborted' })
  })

  it('encodePart throws PartInterrupted if storage is unavailable', async () => {
    const object = await fileObject(pathOf('plain.mp4'))
    let reads = 0
    const source: SourceObject = {
      ...object,
      read: (range, signal) => (++reads > 2 ? Promise.reject(new Error('unavailable')) : object.read(range, signal)),
    }
    await expect(encodeFirst(source)).rejects.toMatchObject({
      name: 'PartInterrupted',
      reason: 'source-unreadable',
    })
    await expect(encodeFirst(source)).rejects.toBeInstanceOf(PartInterrupted)
  })

  it("encodePart throws PartFailed with ffmpeg's stderr if a stream is missing", async () => {
    const wrong = planOf({ durationSeconds: 21, audioStream: 7 })
    const failure = await encodeFirst(localFile(pathOf('plain.mp4')), never, wrong).catch((error) => error)
    expect(failure).toBeInstanceOf(PartFailed)
    expect(failure.stderr).toContain('matches no streams')
  })

  it('encodePart throws PartFailed if no frame of the video can be decoded', async () => {
    await expect(encodeFirst(localFile(pathOf('hollow.mp4')))).rejects.toBeInstanceOf(PartFailed)
  })
})

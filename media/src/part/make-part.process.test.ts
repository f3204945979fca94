/** Parts of real videos by the real programs, put together and decoded. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { firstPicture, type MadeVideo, makeVideo, tracksOf } from '../../testing/joined.ts'
import { makeLongSources } from '../../testing/long-sources.ts'
import { expectWhole, expectWholeInParts, type PartCase } from '../../testing/part-cases.ts'
import { planOf, rungOf } from '../../testing/plans.ts'
import { makeSources } from '../../testing/sources.ts'
import type { Plan } from '../plan/plan.ts'
import { openSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import { fileObject } from '../source/file-object.ts'
import { localFile, type SourceObject } from '../source/source.ts'
import type { MadeTrack } from './made-part.ts'
import { makePart } from './make-part.ts'
import { PartFailed, PartInterrupted } from './part-failed.ts'
import type { MadeSegments } from './progress.ts'

let short: string
let long: string
let sandbox: Sandbox
beforeAll(async () => {
  short = await makeSources()
  long = await makeLongSources()
  sandbox = await openSandbox({ mode: 'bubblewrap' })
}, 300_000)

const never = new AbortController().signal
const hash = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const pathOf = (name: string) => join(existsSync(join(long, name)) ? long : short, name)

async function temporary() {
  const directory = await mkdtemp(join(tmpdir(), 'make-part-'))
  return { directory, [Symbol.asyncDispose]: () => rm(directory, { recursive: true }) }
}

/** One for each thing that is done to a source; make-part.media.test.ts takes all of them. */
const sample: Record<string, PartCase> = {
  'a rate that is no whole number': 'ntsc.mp4',
  'pictures that stand': 'variable-rate.mp4',
  'pictures that begin late': 'late-video.mkv',
  'pictures that end early': 'short-video.mp4',
  'sound that begins late': 'late-audio.mp4',
  'what cannot be decoded is bridged': 'damaged.mp4',
  'times that begin anywhere': 'fragmented-late.mp4',
  'a single picture': 'one-picture.mp4',
  'turned upright': 'rotated-90.mp4',
  'tone-mapped': 'hdr10.mp4',
  'six channels mixed to two': 'surround.mp4',
}

describe('all parts of a video', () => {
  it.each(Object.entries(sample))('%s: %s', (_, name) =>
    expectWholeInParts(sandbox, pathOf(name), name),
  )

  it('are the same whenever and from wherever they are made', async () => {
    // With several threads x264 does not keep to a greatest bit rate the same way twice, so this
    // one has none to speak of.
    const rungs = [{ ...rungOf('240p', 64, 36), bitrateMax: 1e8 }]
    const plan = planOf({ durationSeconds: 9, audioStream: 1, chunkSegments: 1, rungs })
    const path = pathOf('sixty.mp4')
    await using one = await makeVideo(sandbox, localFile(path), plan)
    const backwards = plan.parts.toReversed()
    await using other = await makeVideo(sandbox, await fileObject(path), plan, backwards)
    for (const track of ['240p', 'audio'] as const) {
      const files = await Promise.all([one.join(track), other.join(track)])
      const [a, b] = await Promise.all(files.map((file) => readFile(file)))
      expect(a && b?.equals(a)).toBe(true)
    }
  })

  it('are where no sandbox is, too', async () => {
    const plan = planOf({ durationSeconds: 0.5, audioStream: 1 })
    const bare = await openSandbox({ mode: 'none' })
    await using video = await makeVideo(bare, await fileObject(pathOf('short.mp4')), plan)
    await expectWhole(plan, video)
  })
})

describe('a part', () => {
  let video: MadeVideo
  beforeAll(async () => {
    const plan = planOf({ durationSeconds: 9, audioStream: 1 })
    video = await makeVideo(sandbox, localFile(pathOf('plain.mp4')), plan)
  })
  afterAll(() => video[Symbol.asyncDispose]())

  it('leaves its segments and nothing else', () => {
    const directories = readdirSync(video.directory).toSorted()
    const left = directories.map((part) =>
      readdirSync(join(video.directory, part), { recursive: true }).toSorted(),
    )
    const files = (track: string, ...numbers: string[]) => [
      track,
      ...numbers.map((number) => `${track}/${number}.m4s`),
      `${track}/init.mp4`,
    ]
    expect(left).toEqual([
      [...files('240p', '00000', '00001'), ...files('audio', '00000', '00001')],
      [
        ...files('240p', '00002'),
        ...files('360p', '00000', '00001', '00002'),
        ...files('audio', '00002'),
      ],
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

  it('has headers that do not tell which packager made them', async () => {
    const tracks = video.parts.flatMap((part) => part.tracks)
    const headers = await Promise.all(tracks.map(({ init }) => readFile(init.path, 'latin1')))
    expect(headers.filter((header) => /packager|release/.test(header))).toEqual([])
    expect(headers).toHaveLength(5)
  })

  it('has all its sound hours into a video whose segments are no whole number of samples', async () => {
    const frameRate = { numerator: 1998, denominator: 100 }
    const plan = planOf({ durationSeconds: 40_000, audioStream: 1, frameRate, chunkSegments: 2 })
    const [last] = plan.parts.slice(-2)
    const source = localFile(pathOf('plain.mp4'))
    await using late = await makeVideo(sandbox, source, plan, last && [last])
    const [sound] = tracksOf(late.parts, 'audio')
    const frames = sound?.segments.map(({ seconds }) => Math.round((seconds * 48_000) / 1024))
    // 8.008 s, of which the packager cuts the first too early.
    expect(frames?.reduce((sum, count) => sum + count, 0)).toBeOneOf([375, 376])
    expect(frames).toHaveLength(2)
  })

  it('has keyframes that can be shown alone, each for as long as it stands', async () => {
    for (const { init, segments } of tracksOf(video.parts, '240p')) {
      for (const { path, keyframes, seconds } of segments) {
        expect(keyframes.reduce((sum, keyframe) => sum + keyframe.seconds, 0)).toBeCloseTo(
          seconds,
          9,
        )
        for (const { offset, bytes } of keyframes) {
          const range = (await readFile(path)).subarray(offset, offset + bytes)
          const alone = join(video.directory, 'alone.mp4')
          await writeFile(alone, Buffer.concat([await readFile(init.path), range]))
          const luma = await firstPicture(alone)
          expect(luma.length).toBe(64 * 36)
        }
      }
    }
  })

  it('tells how many segments there are', async () => {
    const plan = planOf({ durationSeconds: 13, audioStream: 1 })
    await using scratch = await temporary()
    const told: MadeSegments[] = []
    const [, chunk] = plan.parts
    if (!chunk) throw new Error('No chunk')
    await makePart(sandbox, localFile(pathOf('plain.mp4')), plan, chunk, {
      ...{ directory: scratch.directory, signal: never },
      onProgress: (made) => told.push(made),
    })
    expect(told.at(-1)).toEqual({ '240p': 2, '360p': 4, audio: 2 })
    const counts = told.map((made) => made['360p'] ?? 0)
    expect(counts).toEqual(counts.toSorted((a, b) => a - b))
  })
})

/** As it is made again after failures, so that what is wrong with one track holds up no other. */
describe('a track of a part alone', () => {
  // x264 has as many threads as there are processors, and several do not keep to a greatest bit
  // rate the same way twice, however great it is.
  let processors: string
  beforeAll(() => {
    processors = processorsOf(taskset('-p', String(process.pid)))
    taskset('-p', processors.split(/[,-]/)[0] ?? '', String(process.pid))
  })
  afterAll(() => void taskset('-p', processors, String(process.pid)))
  const taskset = (...given: string[]) => execFileSync('taskset', ['-c', ...given]).toString()
  const processorsOf = (told: string) => /list: (\S+)/.exec(told)?.[1] ?? ''

  const allOf = (tracks: readonly MadeTrack[]) => Promise.all(tracks.map(contentOf))
  const contentOf = async ({ name, codecs, init, segments }: MadeTrack) => ({
    ...{ name, codecs, init: await readFile(init.path) },
    segments: await Promise.all(segments.map(({ path }) => readFile(path))),
  })

  it.each(['plain.mp4', 'late-audio.ts', 'late-video.ts'])(
    'is what it is among the others: %s',
    async (name) => {
      const plan = planOf({ durationSeconds: 21, audioStream: 1, chunkSegments: 3 })
      const [, chunk] = plan.parts
      if (!chunk) throw new Error('No chunk')
      const singles = chunk.tracks.map((track) => ({ ...chunk, tracks: [track] }))
      const source = localFile(pathOf(name))
      await using whole = await makeVideo(sandbox, source, plan, [chunk])
      await using divided = await makeVideo(sandbox, source, plan, singles)
      const tracksMade = ({ parts }: MadeVideo) => allOf(parts.flatMap(({ tracks }) => tracks))
      const [together, alone] = await Promise.all([tracksMade(whole), tracksMade(divided)])
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
    },
    60_000,
  )
})

describe('what is not made', () => {
  const plan = planOf({ durationSeconds: 21, audioStream: 1 })
  const [opening] = plan.parts
  const make = async (
    source: Parameters<typeof makePart>[1],
    signal = never,
    wish: Plan = plan,
  ) => {
    await using scratch = await temporary()
    const part = wish.parts[0] ?? opening
    if (!part) throw new Error('No part')
    return await makePart(sandbox, source, wish, part, { directory: scratch.directory, signal })
  }

  it('called off', async () => {
    const stop = new AbortController()
    const made = make(localFile(pathOf('plain.mp4')), stop.signal)
    setTimeout(() => stop.abort(), 200)
    await expect(made).rejects.toMatchObject({ name: 'PartInterrupted', reason: 'aborted' })
  })

  it('storage that goes away in between', async () => {
    const object = await fileObject(pathOf('plain.mp4'))
    let reads = 0
    const source: SourceObject = {
      ...object,
      read: (range, signal) =>
        ++reads > 2 ? Promise.reject(new Error('away')) : object.read(range, signal),
    }
    await expect(make(source)).rejects.toMatchObject({
      name: 'PartInterrupted',
      reason: 'source-unreadable',
    })
    await expect(make(source)).rejects.toBeInstanceOf(PartInterrupted)
  })

  it('of a stream that is not there, with what ffmpeg said', async () => {
    const wrong = planOf({ durationSeconds: 21, audioStream: 7 })
    const failure = await make(localFile(pathOf('plain.mp4')), never, wrong).catch((error) => error)
    expect(failure).toBeInstanceOf(PartFailed)
    expect(failure.stderr).toContain('matches no streams')
  })

  it('of what has no picture that can be decoded', async () => {
    await expect(make(localFile(pathOf('hollow.mp4')))).rejects.toBeInstanceOf(PartFailed)
  })
})

/** Videos with their plans, and the requirements for all parts together. */
import { execFile } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { audioFrames, ticksOf } from '../src/encode/arguments/frame-ranges.ts'
import type { Plan, TrackName } from '../src/plan/plan.ts'
import type { Sandbox } from '../src/sandbox/sandbox.ts'
import { localFile } from '../src/source/source.ts'
import { type EncodedVideo, encodeVideo, packetsOf, tracksOf } from './encoded-video.ts'
import { type PlanOptions, planOf, rungOf } from './plans.ts'

const run = promisify(execFile)
const fraction = (numerator: number, denominator = 1) => ({ numerator, denominator })

/** Each video is long enough for its special feature, a seam after it, and a partial last segment. */
export const partCases = {
  'plain.mp4': { durationSeconds: 21, audioStream: 1 },
  'ntsc.mp4': { durationSeconds: 14, audioStream: 1, frameRate: fraction(30_000, 1001) },
  'film.mp4': { durationSeconds: 14, audioStream: 1, frameRate: fraction(24_000, 1001) },
  'sixty.mp4': { durationSeconds: 13, audioStream: 1, frameRate: fraction(60) },
  'variable-rate.mp4': { durationSeconds: 21 },
  'recording.mkv': { durationSeconds: 13, audioStream: 1 },
  'late-audio.mp4': { durationSeconds: 17, audioStream: 1 },
  'late-video.mkv': { durationSeconds: 20.5, audioStream: 1 },
  'short-video.mp4': { durationSeconds: 13, audioStream: 1 },
  'damaged.mp4': { durationSeconds: 17, audioStream: 1 },
  'plain.ts': { durationSeconds: 21, audioStream: 1 },
  'plain.webm': { durationSeconds: 13, audioStream: 1 },
  'no-audio.mp4': { durationSeconds: 1 },
  'surround.mp4': { durationSeconds: 1, audioStream: 1 },
  'rotated-90.mp4': {
    ...{ durationSeconds: 2, audioStream: 1 },
    rungs: [rungOf('240p', 36, 64), rungOf('360p', 72, 128)],
  },
  'hdr10.mp4': { durationSeconds: 1, picture: { isToneMapped: true } },
  'interlaced.mp4': {
    durationSeconds: 13,
    frameRate: fraction(25),
    picture: { isDeinterlaced: true },
  },
  'short.mp4': { durationSeconds: 0.5, audioStream: 1 },
  'one-frame.mp4': { durationSeconds: 0.04, frameRate: fraction(25) },
  'ten-bit.mp4': { durationSeconds: 1 },
  'full-range.mp4': { durationSeconds: 1 },
  'odd.webm': { durationSeconds: 1, audioStream: 1, frameRate: fraction(24) },
  'joined-late.webm': { durationSeconds: 3, audioStream: 1 },
  'fragmented-late.mp4': { durationSeconds: 3 },
  'tiny.mp4': { durationSeconds: 1, frameRate: fraction(15) },
} satisfies Record<string, PlanOptions>

export type PartCase = keyof typeof partCases

/** Encodes all parts of a video, the last one first, and checks the joined result. */
export async function expectCompleteInParts(sandbox: Sandbox, path: string, name: PartCase) {
  const plan = planOf({ ...partCases[name], chunkSegments: 2 })
  const backwards = plan.parts.toReversed()
  await using video = await encodeVideo(sandbox, localFile(path), plan, backwards)
  await expectComplete(plan, video)
  for (const { name: track } of plan.rungs) expect(await countHeaders(video, track)).toBe(1)
}

/**
 * Checks that each track is complete: the planned number of frames, evenly spaced from 0, keyframes
 * on the grid, and no decoding errors.
 */
export async function expectComplete(plan: Plan, video: EncodedVideo): Promise<void> {
  for (const { name } of plan.rungs) await expectOnGrid(plan, video, name)
  const sizes = new Map(plan.rungs.map(({ name, width, height }) => [name, width * height]))
  const expected = [...sizes].map(([name, bytes]): [TrackName, number] => [name, bytes * plan.frames])
  if (plan.audio) {
    const packets = await packetsOf(await video.join('audio'))
    const { end } = audioFrames(plan, plan.audio, { start: 0, end: plan.segments })
    expect(packets.map(({ pts }) => pts)).toEqual(Array.from({ length: end }, (_, n) => n * 1024))
    expectSameHeaders(video, 'audio')
    expected.push(['audio', end * 1024 * 4])
  }
  const names = expected.map(([name]) => name)
  expect(await decodedBytes(video, names)).toEqual(Object.fromEntries(expected))
}

async function expectOnGrid(plan: Plan, video: EncodedVideo, name: TrackName) {
  const { perFrame } = ticksOf(plan.frameRate)
  const packets = await packetsOf(await video.join(name))
  const times = packets.map(({ pts }) => pts).toSorted((a, b) => a - b)
  expect(times).toEqual(Array.from({ length: plan.frames }, (_, frame) => frame * perFrame))
  const keys = packets.filter(({ isKey }) => isKey).map(({ pts }) => pts)
  const grid = Array.from({ length: Math.ceil(plan.frames / plan.gopFrames) }, (_, index) => index)
  expect(keys).toEqual(grid.map((index) => index * plan.gopFrames * perFrame))
  expect(packets.every(({ dts }, index) => dts > (packets[index - 1]?.dts ?? -Infinity))).toBe(true)
  expectSameHeaders(video, name)
}

/** Returns the size of each decoded track (luma or audio) in bytes. One run decodes all tracks; any error ends it. */
async function decodedBytes(video: EncodedVideo, names: readonly TrackName[]) {
  const files = await Promise.all(names.map((name) => video.join(name)))
  const raw = (name: TrackName) => join(video.directory, `${name}.raw`)
  const outputs = names.flatMap((name, index) => [
    ...['-map', String(index), '-f', ...(name === 'audio' ? ['s16le'] : luma), raw(name)],
  ])
  const inputs = files.flatMap((file) => ['-i', file])
  const all = ['-v', 'error', '-nostdin', '-y', '-xerror', ...inputs, ...outputs]
  expect((await run('ffmpeg', all)).stderr).toBe('')
  const sizes = names.map(async (name) => [name, (await stat(raw(name))).size] as const)
  return Object.fromEntries(await Promise.all(sizes))
}

const luma = ['rawvideo', '-pix_fmt', 'gray', '-vf', 'scale=iw:ih']

function expectSameHeaders({ parts }: EncodedVideo, name: TrackName) {
  const tracks = tracksOf(parts, name)
  expect(new Set(tracks.map(({ codecs }) => codecs)).size).toBe(1)
  expect(new Set(tracks.map(({ init }) => init.bytes)).size).toBe(1)
}

const countHeaders = async ({ parts }: EncodedVideo, name: TrackName) => {
  const headers = await Promise.all(tracksOf(parts, name).map(({ init }) => readFile(init.path)))
  return new Set(headers.map((header) => header.toString('hex'))).size
}

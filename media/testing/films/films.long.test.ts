/** Checks that the test films have the expected properties, when probed and when decoded, and the expected plan. */
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { rungNames } from '../../src/plan/plan.ts'
import { planVideo } from '../../src/plan/plan-video.ts'
import type { Probe } from '../../src/probe/facts/probe-facts.ts'
import { probe } from '../../src/probe/probe.ts'
import { openSandbox, type Sandbox } from '../../src/sandbox/sandbox.ts'
import { localFile } from '../../src/source/source.ts'
import type { ExpectedFilm } from './film.ts'
import { findBeeps, findFlashes, readAudio, readFrames } from './film-reader.ts'
import { createFilms, films } from './films.ts'

let directory: string
let sandbox: Sandbox
beforeAll(async () => {
  directory = await createFilms()
  sandbox = await openSandbox({ mode: 'bubblewrap' })
}, 300_000)

const never = new AbortController().signal

/** Tolerance of durations: containers round times, and an audio frame lasts 20 to 40 milliseconds. */
const DURATION_TOLERANCE_SECONDS = 0.07
/**
 * Tolerance of frame numbers: some containers have millisecond timestamps, and the first frame may be a little
 * longer than the others.
 */
const COUNT_TOLERANCE = 0.6
const SYNC_TOLERANCE_SECONDS = 0.02

describe('the test films', () => {
  it('are at least forty films with unique names', () => {
    expect(new Set(films.map(({ name }) => name)).size).toBe(films.length)
    expect(films.length).toBeGreaterThanOrEqual(40)
  })

  it.each(films)('have the expected content: $name ($difficulty)', async ({ name, expected }) => {
    const path = join(directory, name)
    const found = await probe(sandbox, localFile(path), { signal: never })
    checkPlan(found, expected)
    const start = await checkVideo(path, found, expected)
    if (expected.audio) await checkAudio(path, start, expected)
  })
})

function checkPlan(found: Probe, { width, height, frameRate, durationSeconds, audio }: ExpectedFilm) {
  const plan = planVideo(found, { resolutions: rungNames })
  const { numerator, denominator } = plan.frameRate
  expect({
    ...{ width: found.video.width, height: found.video.height },
    frameRate: `${numerator}/${denominator}`,
    hasAudio: plan.audio !== null,
  }).toEqual({ width, height, frameRate, hasAudio: audio !== null })
  expectWithin(found.durationSeconds, durationSeconds, DURATION_TOLERANCE_SECONDS)
  const plannedSeconds = (plan.frames * denominator) / numerator
  expectWithin(plannedSeconds, found.durationSeconds, denominator / numerator)
  for (const rung of plan.rungs) {
    expect(rung.width).toBeLessThanOrEqual(width)
    expect(rung.height).toBeLessThanOrEqual(height)
  }
}

/** Checks the pattern of all frames, and returns the time of the first frame. */
async function checkVideo(path: string, { video }: Probe, { pattern }: ExpectedFilm) {
  const frames = await readFrames(path, { streamIndex: video.streamIndex })
  const start = frames[0]?.seconds ?? Number.NaN
  for (const { seconds, pattern: seen } of frames) {
    const count = pattern.firstCount + (seconds - start) * pattern.countsPerSecond
    expectWithin(seen?.count ?? Number.NaN, count, COUNT_TOLERANCE)
  }
  expect(frames.at(-1)?.pattern?.count).toBeLessThanOrEqual(pattern.lastCount)
  const flashes = findFlashes(frames).map((seconds) => seconds - start)
  const end = (pattern.lastCount + 1 - pattern.firstCount) / pattern.countsPerSecond
  expectAllWithin(flashes, beatsWithin(pattern, 0, end), COUNT_TOLERANCE / pattern.countsPerSecond)
  return start
}

async function checkAudio(path: string, start: number, { pattern, audio }: ExpectedFilm) {
  const beeps = findBeeps(await readAudio(path)).map((seconds) => seconds - start)
  const { from, to } = audio ?? { from: 0, to: 0 }
  const audible = beeps.filter((seconds) => seconds > from - SYNC_TOLERANCE_SECONDS)
  expectAllWithin(audible, beatsWithin(pattern, from, to), SYNC_TOLERANCE_SECONDS)
}

/** Returns the times of the beats, except a beat in the last few milliseconds. */
function beatsWithin(pattern: ExpectedFilm['pattern'], from: number, to: number): number[] {
  const { firstBeatSeconds, secondsPerBeat } = pattern
  const count = Math.max(0, Math.ceil((to - 0.01 - firstBeatSeconds) / secondsPerBeat))
  const beats = Array.from({ length: count }, (_, beat) => firstBeatSeconds + beat * secondsPerBeat)
  return beats.filter((seconds) => seconds >= from)
}

function expectAllWithin(seen: readonly number[], expected: readonly number[], tolerance: number) {
  expect(seen.length).toBe(expected.length)
  for (const [index, seconds] of seen.entries()) {
    expectWithin(seconds, expected[index] ?? Number.NaN, tolerance)
  }
}

const expectWithin = (seen: number, expected: number, tolerance: number) =>
  expect(Math.abs(seen - expected), `${seen} for ${expected}`).toBeLessThanOrEqual(tolerance)

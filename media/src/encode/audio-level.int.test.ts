/** Checks that encoded audio is as loud as its source, and never clips. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, it } from 'vitest'
import { createOnce } from '../../testing/cache.ts'
import { decode, encodeVideo } from '../../testing/encoded-video.ts'
import { planOf, rungOf } from '../../testing/plans.ts'
import { openSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import { localFile } from '../source/source.ts'

const run = promisify(execFile)

const SECONDS = 13
const SAMPLE_RATE = 48_000
const channelsOf = { stereo: 2, '5.1': 6 } as const
type Layout = keyof typeof channelsOf

/** Creates the same tone in all channels. */
const tone = (layout: Layout, level: string) => {
  const channels = Array(channelsOf[layout]).fill(`(${level})*sin(2*PI*440*t)`).join('|')
  return `aevalsrc='${channels}':c=${layout}:s=${SAMPLE_RATE}:d=${SECONDS}`
}

async function encodedSamples(layout: Layout, level: string): Promise<Float32Array> {
  const videoInput = ['-f', 'lavfi', '-i', `color=size=64x36:rate=30:duration=${SECONDS}`]
  const audioInput = ['-f', 'lavfi', '-i', tone(layout, level), '-c:a', 'pcm_s16le']
  const recipe = [...videoInput, ...audioInput, '-c:v', 'mpeg4', 'tone.mov']
  const directory = await createOnce('sound-levels', recipe, async (cwd) => {
    await run('ffmpeg', ['-loglevel', 'error', '-nostdin', ...recipe], { cwd })
  })
  const rungs = [rungOf('240p', 64, 36)]
  const plan = planOf({ durationSeconds: SECONDS, audioStream: 1, rungs, chunkSegments: 1 })
  expect(plan.parts.length).toBeGreaterThan(1)
  await using video = await encodeVideo(sandbox, localFile(join(directory, 'tone.mov')), plan)
  const { buffer } = Uint8Array.from(await decode(await video.join('audio'), ['-f', 'f32le']))
  return new Float32Array(buffer)
}

/** Amplitude of a sine wave with the same power as these samples. */
const levelOf = (samples: Float32Array) =>
  Math.sqrt((2 * samples.reduce((sum, sample) => sum + sample ** 2, 0)) / samples.length)

/** Levels of each tenth of a second, except the first and the last, where the tone starts and ends. */
const levelsOf = (samples: Float32Array) => {
  const length = (2 * SAMPLE_RATE) / 10
  return Array.from({ length: SECONDS * 10 }, (_, at) =>
    levelOf(samples.subarray(at * length, (at + 1) * length)),
  ).slice(1, -1)
}

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await openSandbox({ mode: 'bubblewrap' })
})

/** The standard downmix adds center and back left to front left, with a factor of 0.71 each. */
const MIXED_DOWN = 1 + Math.SQRT2

it.each([
  ['stereo', 0.3, 0.3],
  ['stereo', 0.9, 0.9],
  ['5.1', 0.3, 0.3 * MIXED_DOWN],
] as const)('a %s tone with the level %f has the level %f after encoding', async (layout, level, expected) => {
  const samples = await encodedSamples(layout, String(level))
  for (const measured of levelsOf(samples)) expect(measured / expected).toBeCloseTo(1, 1.5)
})

it('5.1 audio with simultaneous peaks in all channels is limited, not clipped', async () => {
  const samples = await encodedSamples('5.1', '0.2+0.79*lt(mod(t\\,0.13)\\,0.03)')
  const loudest = samples.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0)
  const clipped = samples.filter((sample) => Math.abs(sample) > 1).length
  // AAC may exceed full scale slightly for loud input.
  expect(loudest).toBeLessThan(1.2)
  expect(clipped / samples.length).toBeLessThan(0.005)
  expect(levelOf(samples)).toBeGreaterThan(0.5)
})

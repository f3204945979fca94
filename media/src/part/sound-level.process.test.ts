/** How loud the sound of parts is: as loud as its source, and never louder than anything can be. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, it } from 'vitest'
import { madeOnce } from '../../testing/cache.ts'
import { decoded, makeVideo } from '../../testing/joined.ts'
import { planOf, rungOf } from '../../testing/plans.ts'
import { openSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import { localFile } from '../source/source.ts'

const run = promisify(execFile)

const SECONDS = 13
const SAMPLE_RATE = 48_000
const channelsOf = { stereo: 2, '5.1': 6 } as const
type Layout = keyof typeof channelsOf

/** The same tone in all channels. */
const tone = (layout: Layout, level: string) => {
  const channels = Array(channelsOf[layout]).fill(`(${level})*sin(2*PI*440*t)`).join('|')
  return `aevalsrc='${channels}':c=${layout}:s=${SAMPLE_RATE}:d=${SECONDS}`
}

async function soundOf(layout: Layout, level: string): Promise<Float32Array> {
  const picture = ['-f', 'lavfi', '-i', `color=size=64x36:rate=30:duration=${SECONDS}`]
  const sound = ['-f', 'lavfi', '-i', tone(layout, level), '-c:a', 'pcm_s16le']
  const recipe = [...picture, ...sound, '-c:v', 'mpeg4', 'tone.mov']
  const directory = await madeOnce('sound-levels', recipe, async (cwd) => {
    await run('ffmpeg', ['-loglevel', 'error', '-nostdin', ...recipe], { cwd })
  })
  const rungs = [rungOf('240p', 64, 36)]
  const plan = planOf({ durationSeconds: SECONDS, audioStream: 1, rungs, chunkSegments: 1 })
  expect(plan.parts.length).toBeGreaterThan(1)
  await using video = await makeVideo(sandbox, localFile(join(directory, 'tone.mov')), plan)
  const { buffer } = Uint8Array.from(await decoded(await video.join('audio'), ['-f', 'f32le']))
  return new Float32Array(buffer)
}

/** Of a tone as loud as all these samples: how far it goes up. */
const levelOf = (samples: Float32Array) =>
  Math.sqrt((2 * samples.reduce((sum, sample) => sum + sample ** 2, 0)) / samples.length)

/** Of each tenth of a second, but for the first and the last, where a tone begins and ends. */
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

/** To the front left one, centre and back left add 0.71 each, as is the custom. */
const MIXED_DOWN = 1 + Math.SQRT2

it.each([
  ['stereo', 0.3, 0.3],
  ['stereo', 0.9, 0.9],
  ['5.1', 0.3, 0.3 * MIXED_DOWN],
] as const)(
  '%s at %f is as loud afterwards: %f',
  async (layout, level, expected) => {
    const samples = await soundOf(layout, String(level))
    for (const heard of levelsOf(samples)) expect(heard / expected).toBeCloseTo(1, 1.5)
  },
  60_000,
)

it('5.1 with blows in all channels at once is held down, and not cut off', async () => {
  const samples = await soundOf('5.1', '0.2+0.79*lt(mod(t\\,0.13)\\,0.03)')
  const loudest = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)
  const cutOff = samples.filter((sample) => Math.abs(sample) > 1).length
  // AAC makes a little more of what is as loud as can be, whatever it comes from.
  expect(loudest).toBeLessThan(1.2)
  expect(cutOff / samples.length).toBeLessThan(0.005)
  expect(levelOf(samples)).toBeGreaterThan(0.5)
})

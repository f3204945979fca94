/**
 * Encodes audio that changes its channels or sample rate in the middle of a part, as broadcasts do between programs.
 */
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { createOnce } from '../../testing/cache.ts'
import { encodeVideo, samplesOf } from '../../testing/encoded-video.ts'
import { planOf, rungOf } from '../../testing/plans.ts'
import { openSandbox } from '../sandbox/sandbox.ts'
import { localFile } from '../source/source.ts'

const run = promisify(execFile)

type Program = { readonly layout: string; readonly sampleRate: number; readonly hertz: number }

const SECONDS = 4
/** Maximum duration of the audio that may be lost at each change of the format. */
const LOST_SECONDS_MAX = 1

const recipeOf = ({ layout, sampleRate, hertz }: Program, index: number) => [
  ...['-f', 'lavfi', '-i', `testsrc2=size=64x36:rate=30:duration=${SECONDS}`],
  ...['-f', 'lavfi', '-i', `sine=frequency=${hertz}:sample_rate=${sampleRate}:duration=${SECONDS}`],
  ...['-af', `aformat=channel_layouts=${layout}`, '-c:a', 'ac3', '-c:v', 'mpeg2video'],
  ...['-output_ts_offset', String(index * SECONDS), '-f', 'mpegts', `${index}.ts`],
]

/** Concatenates broadcast programs into one stream. */
async function broadcast(programs: readonly Program[]): Promise<string> {
  const recipes = programs.map(recipeOf)
  const directory = await createOnce('broadcasts', recipes, async (cwd) => {
    for (const recipe of recipes) await run('ffmpeg', ['-loglevel', 'error', '-nostdin', ...recipe], { cwd })
    const files = programs.map((_, index) => readFile(join(cwd, `${index}.ts`)))
    await writeFile(join(cwd, 'all.ts'), Buffer.concat(await Promise.all(files)))
  })
  return join(directory, 'all.ts')
}

/** Counts upward zero crossings in one second, starting half a second after the given time. */
function hertzAt(samples: Float32Array, second: number): number {
  const window = samples.subarray((second + 0.5) * 48_000, (second + 1.5) * 48_000)
  return window.filter((sample, at) => sample >= 0 && (window[at - 1] ?? 0) < 0).length
}

const stereo = { layout: 'stereo', sampleRate: 48_000, hertz: 440 }

it.each([
  ['more channels', { layout: '5.1', sampleRate: 48_000, hertz: 880 }],
  ['fewer channels', { layout: 'mono', sampleRate: 48_000, hertz: 880 }],
  ['another sample rate', { layout: 'stereo', sampleRate: 44_100, hertz: 880 }],
])('audio that changes to %s stays in sync', async (_, changed) => {
  const path = await broadcast([stereo, changed, { ...stereo, hertz: 660 }])
  const sandbox = await openSandbox({ mode: 'bubblewrap' })
  const rungs = [rungOf('240p', 64, 36)]
  const plan = planOf({ durationSeconds: 3 * SECONDS, audioStream: 1, rungs })
  await using video = await encodeVideo(sandbox, localFile(path), plan)
  const samples = await samplesOf(await video.join('audio'))
  const measured = [0, 1.5, 4, 5.5, 8, 9.5].map((second) => hertzAt(samples, second))
  for (const [index, hertz] of [440, 440, 880, 880, 660, 660].entries())
    expect(Math.abs((measured[index] ?? 0) - hertz)).toBeLessThan(3)
  // At each change of the audio format, the audio in ffmpeg's old filter graph is lost.
  const silent = samples.subarray(4800, -24_000).filter((sample) => sample === 0).length
  expect(silent / 48_000).toBeLessThan(2 * LOST_SECONDS_MAX)
})

/** Compares the peaks of encoded parts with their decoded audio. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { createOnce } from '../../testing/cache.ts'
import { decode, encodeVideo } from '../../testing/encoded-video.ts'
import { planOf, rungOf } from '../../testing/plans.ts'
import { openSandbox } from '../sandbox/sandbox.ts'
import { fileObject } from '../source/file-object.ts'
import { joinPeaks, PEAKS_PER_SECOND } from './peaks.ts'

const SECONDS = 25
/** AAC changes samples slightly, and 50 ms at the beginning of a sound may be a few samples earlier. */
const DIFFERENCE_MAX = 12

/** A tone of half a second at the start of each second, louder from second to second, on one channel. */
const tone = `aevalsrc='0|(0.02+0.03*floor(t))*sin(2*PI*400*t)*lt(mod(t,1),0.5)':d=${SECONDS}:s=44100`
const recipe = [
  ...['-f', 'lavfi', '-i', `testsrc2=size=64x36:rate=30000/1001:duration=${SECONDS}`, '-f', 'lavfi', '-i', tone],
  ...['-c:v', 'libx264', '-preset', 'ultrafast', '-c:a', 'aac', 'tones.mp4'],
]

it('the peaks of all parts are those of the decoded audio', async () => {
  const directory = await createOnce('peaks', [recipe], async (cwd) => {
    await promisify(execFile)('ffmpeg', ['-loglevel', 'error', '-nostdin', ...recipe], { cwd })
  })
  const sandbox = await openSandbox({ mode: 'bubblewrap' })
  const frameRate = { numerator: 30_000, denominator: 1001 }
  const options = { durationSeconds: SECONDS, frameRate, audioStream: 1, rungs: [rungOf('240p', 64, 36)] }
  const plan = planOf({ ...options, chunkSegments: 2 })
  await using video = await encodeVideo(sandbox, await fileObject(join(directory, 'tones.mp4')), plan)
  const tracks = video.parts.flatMap((part, index) => {
    const segments = plan.parts[index]?.tracks.find(({ name }) => name === 'audio')?.segments
    const peaks = part.tracks.find(({ name }) => name === 'audio')?.peaks
    return segments && peaks ? [{ firstSegment: segments.start, peaks }] : []
  })
  expect(tracks.length).toBeGreaterThan(3)
  const joined = joinPeaks(plan, tracks)
  expect(joined).toHaveLength(SECONDS * PEAKS_PER_SECOND)
  const decoded = await decode(await video.join('audio'), ['-map', '0:a', '-f', 's16le', '-ac', '2', '-ar', '48000'])
  const samples = new Int16Array(decoded.buffer.slice(decoded.byteOffset, decoded.byteOffset + decoded.length))
  const perPeak = (2 * 48_000) / PEAKS_PER_SECOND
  const differences = [...joined].map((peak, index) => {
    const loudest = samples
      .subarray(index * perPeak, (index + 1) * perPeak)
      .reduce((a, b) => Math.max(a, Math.abs(b)), 0)
    return Math.abs(peak - (loudest * 255) / 32_768)
  })
  // The last points contain the end of the audio, which AAC extends.
  expect(differences.slice(0, -2).filter((difference) => difference > DIFFERENCE_MAX)).toEqual([])
  expect(joined[20 * 20 + 2]).toBeGreaterThan(joined[2 * 20 + 2] ?? 255)
})

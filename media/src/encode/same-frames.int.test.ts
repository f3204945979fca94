/** Every part selects the same source frames as a single run over the whole video. Compared before encoding. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, it } from 'vitest'
import { planOf, rungOf } from '../../testing/plans.ts'
import { createLongSources } from '../../testing/sources/long-sources.ts'
import type { Part, Plan } from '../plan/plan.ts'
import type { Container } from '../probe/container/container.ts'
import { encodeArguments } from './arguments/encode-arguments.ts'
import { videoFrames } from './arguments/frame-ranges.ts'

const run = promisify(execFile)
const OUTPUT_BYTES_MAX = 2 ** 26
let directory: string
beforeAll(async () => {
  directory = await createLongSources()
}, 300_000)

const hashes = (text: string) =>
  text
    .split('\n')
    .filter((line) => line && !line.startsWith('#'))
    .map((line) => line.split(',').map((cell) => cell.trim()))

async function framesOf(given: readonly string[]) {
  const all = ['-v', 'error', '-nostdin', ...given, '-f', 'framemd5', '-']
  const { stdout } = await run('ffmpeg', all, { maxBuffer: OUTPUT_BYTES_MAX })
  return hashes(stdout).map(([, , pts = '', , , md5 = '']) => ({ frame: Number(pts), md5 }))
}

/** Uses the command line of the part, up to the encoder options. */
function framesOfPart(plan: Plan, part: Part, name: string, container: Container) {
  const input = { address: `file:${join(directory, name)}`, protocols: 'file', container }
  const all = encodeArguments({ plan, part, input, directory: '/nowhere' })
  const front = all.slice(all.indexOf('-copyts'), all.indexOf('-map'))
  const [track] = part.tracks
  if (!track) throw new Error('no track')
  const { start, end } = videoFrames(plan, track.segments)
  return framesOf([
    ...front,
    ...['-map', '[v0]', '-frames:v', String(end - start), '-fps_mode', 'passthrough'],
  ])
}

const sources: [string, Container, number, number][] = [
  ['plain.mp4', 'mp4', 30, 21],
  ['ntsc.mp4', 'mp4', 30000 / 1001, 14],
  ['film.mp4', 'mp4', 24000 / 1001, 14],
  ['sixty.mp4', 'mp4', 60, 13],
  ['variable-rate.mp4', 'mp4', 30, 21],
  ['edit-list.mp4', 'mp4', 30, 20.5],
  ['interlaced.mp4', 'mp4', 25, 13],
  ['plain.webm', 'webm', 30, 13],
  ['live.webm', 'webm', 30, 13],
  ['recording.mkv', 'matroska', 30, 21],
  ['late-audio.mp4', 'mp4', 30, 21],
  ['late-video.mkv', 'matroska', 30, 20.5],
  ['short-video.mp4', 'mp4', 30, 21],
  ['plain.ts', 'mpegts', 30, 21],
  ['plain.mpg', 'mpegps', 30, 21],
  ['plain.avi', 'avi', 30, 21],
  ['plain.flv', 'flv', 30, 21],
  ['fragmented.mp4', 'mp4', 30, 21],
]

it.each(sources)(
  'parts of %s have the same frames as a single run',
  async (name, container, rate, seconds) => {
    const numerator = Number.isInteger(rate) ? rate : Math.round(rate * 1001)
    const denominator = Number.isInteger(rate) ? 1 : 1001
    const options = {
      durationSeconds: seconds,
      frameRate: { numerator, denominator },
      picture: { isDeinterlaced: name === 'interlaced.mp4' },
      rungs: [rungOf('240p', 160, 90)],
    }
    const plan = planOf({ ...options, openingSegments: 2, chunkSegments: 1 })
    const inParts: { frame: number; md5: string }[] = []
    for (const part of plan.parts)
      inParts.push(...(await framesOfPart(plan, part, name, container)))
    const filters = [
      ...(name === 'interlaced.mp4' ? ['bwdif=mode=send_frame'] : []),
      `fps=${numerator}/${denominator}:start_time=0:round=near`,
      'tpad=stop=-1:stop_mode=clone',
      'scale=160:90:flags=bicubic:out_color_matrix=bt709:out_range=tv,format=yuv420p',
    ]
    const whole = await framesOf([
      ...['-i', join(directory, name), '-map', '0:0', '-vf', filters.join()],
      ...['-frames:v', String(plan.frames)],
    ])
    expect(inParts.map(({ frame }) => frame)).toEqual(
      Array.from({ length: plan.frames }, (_, n) => n),
    )
    const different = whole.flatMap(({ md5 }, frame) =>
      inParts[frame]?.md5 === md5 ? [] : [frame],
    )
    expect(different).toEqual([])
  },
)

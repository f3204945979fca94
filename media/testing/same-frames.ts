/** Compares the source frames that the parts of a video select with those of a single run over the whole video. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { encodeArguments } from '../src/encode/arguments/encode-arguments.ts'
import { videoFrames } from '../src/encode/arguments/frame-ranges.ts'
import type { Part, Plan } from '../src/plan/plan.ts'
import type { Container } from '../src/probe/container/container.ts'
import { planOf, rungOf } from './plans.ts'

const run = promisify(execFile)
const OUTPUT_BYTES_MAX = 2 ** 26
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

/** Returns the frames that a part selects, using the command line of the part up to the encoder options. */
function framesOfPart(plan: Plan, part: Part, path: string, container: Container) {
  const input = { address: `file:${path}`, protocols: 'file', container }
  const all = encodeArguments({ plan, part, input, directory: '/nowhere' })
  const front = all.slice(all.indexOf('-copyts'), all.indexOf('-map'))
  const [track] = part.tracks
  if (!track) throw new Error('no track')
  const { start, end } = videoFrames(plan, track.segments)
  return framesOf([...front, ...['-map', '[v0]', '-frames:v', String(end - start), '-fps_mode', 'passthrough']])
}

type FramesCase = { readonly container: Container; readonly rate: number; readonly seconds: number }

export const framesCases: Readonly<Record<string, FramesCase>> = {
  'plain.mp4': { container: 'mp4', rate: 30, seconds: 21 },
  'ntsc.mp4': { container: 'mp4', rate: 30000 / 1001, seconds: 14 },
  'film.mp4': { container: 'mp4', rate: 24000 / 1001, seconds: 14 },
  'sixty.mp4': { container: 'mp4', rate: 60, seconds: 13 },
  'variable-rate.mp4': { container: 'mp4', rate: 30, seconds: 21 },
  'edit-list.mp4': { container: 'mp4', rate: 30, seconds: 20.5 },
  'interlaced.mp4': { container: 'mp4', rate: 25, seconds: 13 },
  'plain.webm': { container: 'webm', rate: 30, seconds: 13 },
  'live.webm': { container: 'webm', rate: 30, seconds: 13 },
  'recording.mkv': { container: 'matroska', rate: 30, seconds: 21 },
  'late-audio.mp4': { container: 'mp4', rate: 30, seconds: 21 },
  'late-video.mkv': { container: 'matroska', rate: 30, seconds: 20.5 },
  'short-video.mp4': { container: 'mp4', rate: 30, seconds: 21 },
  'plain.ts': { container: 'mpegts', rate: 30, seconds: 21 },
  'plain.mpg': { container: 'mpegps', rate: 30, seconds: 21 },
  'plain.avi': { container: 'avi', rate: 30, seconds: 21 },
  'plain.flv': { container: 'flv', rate: 30, seconds: 21 },
  'fragmented.mp4': { container: 'mp4', rate: 30, seconds: 21 },
}

/** Compares the frames before they are encoded; `directory` has the sources. */
export async function expectSameFrames(directory: string, name: string): Promise<void> {
  const source = framesCases[name]
  if (!source) throw new Error(`unknown source: ${name}`)
  const { container, rate, seconds } = source
  const path = join(directory, name)
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
  for (const part of plan.parts) inParts.push(...(await framesOfPart(plan, part, path, container)))
  const filters = [
    ...(name === 'interlaced.mp4' ? ['bwdif=mode=send_frame'] : []),
    `fps=${numerator}/${denominator}:start_time=0:round=near`,
    'tpad=stop=-1:stop_mode=clone',
    'scale=160:90:flags=bicubic:out_color_matrix=bt709:out_range=tv,format=yuv420p',
  ]
  const whole = await framesOf([
    ...['-i', path, '-map', '0:0', '-vf', filters.join()],
    ...['-frames:v', String(plan.frames)],
  ])
  expect(inParts.map(({ frame }) => frame)).toEqual(Array.from({ length: plan.frames }, (_, n) => n))
  const different = whole.flatMap(({ md5 }, frame) => (inParts[frame]?.md5 === md5 ? [] : [frame]))
  expect(different).toEqual([])
}

/** What is really to be seen and heard in a file, by decoding all of it. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { PATTERN_COLUMNS, PATTERN_ROWS, readPattern, type SeenPattern } from './film-pattern.ts'

const run = promisify(execFile)
const OUTPUT_BYTES_MAX = 256 * 2 ** 20

export type SeenPicture = {
  readonly seconds: number
  /** Undefined where no pattern can be made out. */
  readonly pattern: SeenPattern | undefined
}

export type Reading = {
  /** The first of its kind if absent. */
  readonly streamIndex?: number | undefined
  /** Nothing that cannot be decoded is passed over. */
  readonly isStrict?: boolean
}

const strictly = ({ isStrict = false }: Reading) =>
  isStrict ? ['-xerror', '-err_detect', 'explode'] : []

/** As a player shows them: turned, and in the order of their times, which count from the beginning of the file. */
export async function readPictures(path: string, reading: Reading = {}): Promise<SeenPicture[]> {
  const index = reading.streamIndex ?? 'v:0'
  const { startSeconds } = await streamOf(path, index)
  // The pattern is the upper half of what is shown.
  const fields = `scale=${PATTERN_COLUMNS}:${2 * PATTERN_ROWS}:flags=area,format=gray`
  const seen = `${fields},crop=${PATTERN_COLUMNS}:${PATTERN_ROWS}:0:0,showinfo`
  const { stdout, stderr } = await decode([
    ...[...strictly(reading), '-i', path, '-map', `0:${index}`],
    ...['-vf', `setpts=PTS-${startSeconds}/TB,${seen}`],
    ...['-fps_mode', 'passthrough', '-f', 'rawvideo', '-'],
  ])
  const times = [...stderr.toString().matchAll(/ pts_time:\s*(-?[\d.]+)/g)]
  const bytes = PATTERN_COLUMNS * PATTERN_ROWS
  return times.map(([, seconds], index) => ({
    seconds: Number(seconds),
    pattern: readPattern(stdout.subarray(index * bytes, (index + 1) * bytes)),
  }))
}

export const SAMPLE_RATE = 48_000

/** Two channels, one value after the other; from the beginning of the file on. Values may be larger than 1. */
export async function readSound(path: string, reading: Reading = {}): Promise<Float32Array> {
  const index = reading.streamIndex ?? 'a:0'
  const { startSeconds, channels } = await streamOf(path, index)
  const filters = [
    `asetpts=PTS-${startSeconds}/TB`,
    // Gaps are filled, but nothing is stretched: what blocks say of their own length is off for some codecs.
    `aresample=${SAMPLE_RATE}:async=1:first_pts=0`,
    // One channel is heard from both sides as loud as it is; several are mixed as ffmpeg mixes them.
    ...(channels === 1 ? ['pan=stereo|c0=c0|c1=c0'] : []),
    'aformat=sample_fmts=flt:channel_layouts=stereo',
  ]
  const { stdout } = await decode([
    ...[...strictly(reading), '-i', path, '-map', `0:${index}`],
    ...['-af', filters.join(), '-f', 'f32le', '-'],
  ])
  // Aligned, as the view demands.
  return new Float32Array(new Uint8Array(stdout).buffer)
}

/**
 * By itself ffmpeg counts the times of some containers from the beginning of the stream that is
 * read, and not of the file.
 */
async function streamOf(path: string, index: number | string) {
  const shown = ['-select_streams', String(index), '-show_entries', entries]
  const { stdout } = await run('ffprobe', ['-v', 'error', ...shown, '-of', 'json', path])
  const { streams, format } = JSON.parse(stdout) as {
    readonly streams: readonly { readonly channels?: number }[]
    readonly format: { readonly start_time?: string }
  }
  return { channels: streams[0]?.channels, startSeconds: Number(format.start_time ?? 0) }
}

const entries = 'stream=channels:format=start_time'

/** The hum is far below, and so is what a codec leaves around a beep. */
const LOUD = 0.3
const QUIET_SECONDS = 0.2

/** When each beep begins, in seconds. */
export function findBeeps(sound: Float32Array): number[] {
  const left = sound.filter((_, at) => at % 2 === 0)
  const threshold = LOUD * left.reduce((peak, value) => Math.max(peak, Math.abs(value)), 0)
  const beeps: number[] = []
  let lastLoud = Number.NEGATIVE_INFINITY
  for (const [index, value] of left.entries()) {
    if (Math.abs(value) < threshold) continue
    if (index - lastLoud > QUIET_SECONDS * SAMPLE_RATE) beeps.push(index / SAMPLE_RATE)
    lastLoud = index
  }
  return beeps
}

/** When each flash begins. */
export const findFlashes = (pictures: readonly SeenPicture[]): number[] =>
  pictures
    .filter(({ pattern }, at) => pattern?.isFlash && !pictures[at - 1]?.pattern?.isFlash)
    .map(({ seconds }) => seconds)

const decode = (output: readonly string[]) =>
  run('ffmpeg', ['-hide_banner', '-nostdin', '-copyts', ...output], {
    encoding: 'buffer',
    maxBuffer: OUTPUT_BYTES_MAX,
  })

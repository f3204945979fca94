/** Decodes a whole file and reads its test pattern and its audio. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { PATTERN_COLUMNS, PATTERN_ROWS, readPattern, type SeenPattern } from './film-pattern.ts'

const run = promisify(execFile)
const OUTPUT_BYTES_MAX = 256 * 2 ** 20

export type SeenFrame = {
  readonly seconds: number
  /** Pattern in the frame; undefined if it cannot be read. */
  readonly pattern: SeenPattern | undefined
}

export type ReadOptions = {
  /** Index of the stream to read. If absent, the first video or audio stream is read. */
  readonly streamIndex?: number | undefined
  /** If true, any decoding error throws. */
  readonly isStrict?: boolean
}

const strictArguments = ({ isStrict = false }: ReadOptions) => (isStrict ? ['-xerror', '-err_detect', 'explode'] : [])

/** Decodes frames as displayed: rotated, ordered by time, with times relative to the start of the file. */
export async function readFrames(path: string, options: ReadOptions = {}): Promise<SeenFrame[]> {
  const index = options.streamIndex ?? 'v:0'
  const { startSeconds } = await streamOf(path, index)
  // The pattern is the upper half of the frame.
  const fields = `scale=${PATTERN_COLUMNS}:${2 * PATTERN_ROWS}:flags=area,format=gray`
  const seen = `${fields},crop=${PATTERN_COLUMNS}:${PATTERN_ROWS}:0:0,showinfo`
  const { stdout, stderr } = await decode([
    ...[...strictArguments(options), '-i', path, '-map', `0:${index}`],
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

/** Decodes interleaved stereo samples from the start of the file. Values may exceed 1. */
export async function readAudio(path: string, options: ReadOptions = {}): Promise<Float32Array> {
  const index = options.streamIndex ?? 'a:0'
  const { startSeconds, channels } = await streamOf(path, index)
  const filters = [
    `asetpts=PTS-${startSeconds}/TB`,
    // Gaps in the audio are filled, but nothing is stretched: some codecs declare wrong block durations.
    `aresample=${SAMPLE_RATE}:async=1:first_pts=0`,
    // Mono is copied to both channels at full level; other layouts are mixed by ffmpeg.
    ...(channels === 1 ? ['pan=stereo|c0=c0|c1=c0'] : []),
    'aformat=sample_fmts=flt:channel_layouts=stereo',
  ]
  const { stdout } = await decode([
    ...[...strictArguments(options), '-i', path, '-map', `0:${index}`],
    ...['-af', filters.join(), '-f', 'f32le', '-'],
  ])
  // Copies the bytes, because the view needs aligned memory.
  return new Float32Array(new Uint8Array(stdout).buffer)
}

/** Reads the channels of a stream, and the start of the file, which is subtracted from the times of the stream. */
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

/** Share of the maximum above which audio is a beep. The hum, and ringing around a beep, are far below this. */
const LOUD_SHARE = 0.3
const QUIET_SECONDS = 0.2

/** Returns the start times of the beeps, in seconds. */
export function findBeeps(audio: Float32Array): number[] {
  const left = audio.filter((_, at) => at % 2 === 0)
  const threshold = LOUD_SHARE * left.reduce((peak, value) => Math.max(peak, Math.abs(value)), 0)
  const beeps: number[] = []
  let lastLoud = Number.NEGATIVE_INFINITY
  for (const [index, value] of left.entries()) {
    if (Math.abs(value) < threshold) continue
    if (index - lastLoud > QUIET_SECONDS * SAMPLE_RATE) beeps.push(index / SAMPLE_RATE)
    lastLoud = index
  }
  return beeps
}

/** Returns the start times of the flashes. */
export const findFlashes = (frames: readonly SeenFrame[]): number[] =>
  frames
    .filter(({ pattern }, at) => pattern?.isFlash && !frames[at - 1]?.pattern?.isFlash)
    .map(({ seconds }) => seconds)

const decode = (output: readonly string[]) =>
  run('ffmpeg', ['-hide_banner', '-nostdin', '-copyts', ...output], {
    encoding: 'buffer',
    maxBuffer: OUTPUT_BYTES_MAX,
  })

/** What is really to be seen and heard in a file, by decoding all of it. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { PATTERN_COLUMNS, PATTERN_ROWS, readPattern, type SeenPattern } from './film-pattern.ts'

const run = promisify(execFile)
const OUTPUT_BYTES_MAX = 256 * 2 ** 20

type SeenPicture = {
  readonly seconds: number
  /** Undefined where no pattern can be made out. */
  readonly pattern: SeenPattern | undefined
}

/** As a player shows them: turned, and in the order of their times. */
export async function readPictures(path: string, streamIndex?: number): Promise<SeenPicture[]> {
  // The pattern is the upper half of what is shown.
  const fields = `scale=${PATTERN_COLUMNS}:${2 * PATTERN_ROWS}:flags=area,format=gray`
  const seen = `${fields},crop=${PATTERN_COLUMNS}:${PATTERN_ROWS}:0:0,showinfo`
  const { stdout, stderr } = await decode([
    ...['-i', path, '-map', streamIndex === undefined ? '0:v:0' : `0:${streamIndex}`],
    ...['-vf', seen, '-fps_mode', 'passthrough', '-f', 'rawvideo', '-'],
  ])
  const times = [...stderr.toString().matchAll(/ pts_time:\s*(-?[\d.]+)/g)]
  const bytes = PATTERN_COLUMNS * PATTERN_ROWS
  return times.map(([, seconds], index) => ({
    seconds: Number(seconds),
    pattern: readPattern(stdout.subarray(index * bytes, (index + 1) * bytes)),
  }))
}

const SAMPLE_RATE = 48_000
/** The hum is far below, and so is what a codec leaves around a beep. */
const LOUD = 0.3
const QUIET_SECONDS = 0.2

/** When each beep begins, in seconds. */
export async function readBeeps(path: string, streamIndex?: number): Promise<number[]> {
  // Gaps are filled, but nothing is stretched: what blocks say of their own length is off for some codecs.
  const { stdout } = await decode([
    ...['-i', path, '-map', streamIndex === undefined ? '0:a:0' : `0:${streamIndex}`],
    ...['-af', `aresample=${SAMPLE_RATE}:async=1:first_pts=0`, '-ac', '1', '-f', 's16le', '-'],
  ])
  const samples = new Int16Array(stdout.buffer, stdout.byteOffset, Math.floor(stdout.length / 2))
  const threshold = LOUD * samples.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0)
  const beeps: number[] = []
  let lastLoud = Number.NEGATIVE_INFINITY
  for (const [index, sample] of samples.entries()) {
    if (Math.abs(sample) < threshold) continue
    if (index - lastLoud > QUIET_SECONDS * SAMPLE_RATE) beeps.push(index / SAMPLE_RATE)
    lastLoud = index
  }
  return beeps
}

const decode = (output: readonly string[]) =>
  run('ffmpeg', ['-hide_banner', '-nostdin', ...output], {
    encoding: 'buffer',
    maxBuffer: OUTPUT_BYTES_MAX,
  })

/** Films whose frames show their numbers as bars, to check which frames a video has. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { decode } from '../encoded-video.ts'

const run = promisify(execFile)

const [WIDTH, HEIGHT, BITS] = [480, 64, 12]
const BAR = WIDTH / BITS

export type NumberedFilm = { readonly path: string; readonly rate: string; readonly seconds: number }

/** Leaves out single frames, and every third one for a while, as recordings of phones do. */
const variable = `select='if(between(t,5,9),mod(n,3),mod(n,17)-5)',`

/** Generates a film with a tone of 440 Hz. The frames of a variable film are numbered after some were left out. */
export async function makeNumberedFilm(film: NumberedFilm, isVariable = false): Promise<void> {
  const { path, rate, seconds } = film
  const bars = Array.from({ length: BITS }, (_, bit) => {
    const isOne = `mod(floor(n/${2 ** bit})\\,2)`
    return `drawbox=x=${bit * BAR}:y=0:w=${BAR}:h=${HEIGHT}:color=white:t=fill:enable='${isOne}'`
  })
  await run('ffmpeg', [
    ...['-nostdin', '-y', '-v', 'error'],
    ...['-f', 'lavfi', '-i', `color=black:size=${WIDTH}x${HEIGHT}:rate=${rate}:duration=${seconds}`],
    ...['-f', 'lavfi', '-i', `sine=frequency=440:sample_rate=48000:duration=${seconds}`],
    ...['-vf', `${isVariable ? variable : ''}${bars.join(',')}`, '-fps_mode', isVariable ? 'vfr' : 'cfr'],
    ...[
      '-c:v',
      'libx264',
      '-preset',
      'ultrafast',
      '-crf',
      '16',
      '-pix_fmt',
      'yuv420p',
      '-video_track_timescale',
      '90000',
    ],
    ...['-c:a', 'aac', '-b:a', '192k', path],
  ])
}

/** The numbers of all frames of a video, read from its pixels. */
export async function numbersIn(path: string): Promise<number[]> {
  const filters = `scale=${BITS}:1:flags=area,format=gray`
  const pixels = await decode(path, ['-map', '0:v', '-fps_mode', 'passthrough', '-vf', filters, '-f', 'rawvideo'])
  return Array.from({ length: pixels.length / BITS }, (_, frame) =>
    pixels
      .subarray(frame * BITS, (frame + 1) * BITS)
      .reduce((sum, value, bit) => sum + (value > 127 ? 2 ** bit : 0), 0),
  )
}

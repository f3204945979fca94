/** Films that show the number of each frame as bits, so that a test can read from pixels which frame is shown. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

const [WIDTH, HEIGHT] = [426, 240]
const BITS = 12
/** Size of a square, and the position of the row of bits. The row below has the inverse, to detect blended frames. */
const [SQUARE, LEFT, TOP, TOP_OF_INVERSE] = [30, 33, 60, 120]

export type NumberedFilm = {
  readonly name: string
  readonly rate: string
  readonly isVariable?: true
  readonly seconds?: number
}

export const filmRates: readonly NumberedFilm[] = [
  { name: '23.976 fps', rate: '24000/1001' },
  { name: '25 fps', rate: '25' },
  { name: '29.97 fps', rate: '30000/1001' },
  { name: '30 fps', rate: '30' },
  { name: '50 fps', rate: '50' },
  { name: '60 fps', rate: '60' },
  { name: 'variable rate', rate: '30', isVariable: true },
]

const square = (bit: number, top: number, condition: string) =>
  `drawbox=x=${LEFT + bit * SQUARE}:y=${top}:w=${SQUARE}:h=${SQUARE}:color=white:t=fill:enable='${condition}'`

/** Leaves out single frames, and every third one for a while, as recordings of phones do. */
const variable = `select='if(between(t,5,9),mod(n,3),mod(n,17)-5)'`

/** Generates a film whose frames are numbered from 0. Returns its path. */
export async function makeNumberedFilm(folder: string, film: NumberedFilm): Promise<string> {
  const { name, rate, isVariable, seconds = 16 } = film
  const path = join(folder, `${name.replaceAll(/\W+/g, '-')}.mp4`)
  const bits = Array.from({ length: BITS }, (_, bit) => [
    square(bit, TOP, `gt(bitand(n,${2 ** bit}),0)`),
    square(bit, TOP_OF_INVERSE, `eq(bitand(n,${2 ** bit}),0)`),
  ])
  const band = `drawbox=x=0:y=${TOP - SQUARE}:w=${WIDTH}:h=${TOP_OF_INVERSE - TOP + 3 * SQUARE}:color=black:t=fill`
  const filters = [...(isVariable ? [variable] : []), band, ...bits.flat()].join(',')
  await run('ffmpeg', [
    ...['-nostdin', '-y', '-v', 'error'],
    ...['-f', 'lavfi', '-i', `testsrc2=size=${WIDTH}x${HEIGHT}:rate=${rate}:duration=${seconds}`],
    ...['-f', 'lavfi', '-i', `sine=frequency=330:sample_rate=48000:duration=${seconds}`],
    ...['-vf', filters, '-vsync', isVariable ? 'vfr' : 'cfr', '-video_track_timescale', '90000'],
    ...['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '16', '-pix_fmt', 'yuv420p', '-c:a', 'aac', path],
  ])
  return path
}

/** Script: reads the number from a canvas on which a frame was drawn; -1 if it shows none or parts of two. */
export const readNumber = `((context, width, height) => {
  const isWhite = (bit, top) => {
    const x = ((${LEFT} + (bit + 0.5) * ${SQUARE}) * width) / ${WIDTH}
    const y = ((top + ${SQUARE / 2}) * height) / ${HEIGHT}
    return context.getImageData(Math.floor(x), Math.floor(y), 1, 1).data[1] > 128
  }
  let number = 0
  for (let bit = 0; bit < ${BITS}; bit++) {
    if (isWhite(bit, ${TOP}) === isWhite(bit, ${TOP_OF_INVERSE})) return -1
    if (isWhite(bit, ${TOP})) number += 2 ** bit
  }
  return number
})`

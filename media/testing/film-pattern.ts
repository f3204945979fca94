/**
 * What is to be seen and heard in a film, so that a test can tell which picture it looks at, and
 * whether the sound belongs to it.
 *
 * The upper half of the picture is a pattern of 12 by 4 fields above a moving scene. Its upper two
 * rows are white for a moment, the *flash*, while a beep is heard, once about every second; the
 * lower two rows count: a white field, ten fields for the bits of the picture's number from the
 * lowest on, a black field. The first and the last tell white from black, and whether the picture
 * stands upright. Between the beeps there is a hum, so that a gap can be heard.
 */

export const PATTERN_COLUMNS = 12
export const PATTERN_ROWS = 4
const COUNT_BITS = 10

/** Once in so many pictures: a whole number, so that flash and beep begin at the same instant at any rate. */
const picturesPerBeat = (rate: string) => Math.max(1, Math.round(toRate(rate)))
export const secondsPerBeat = (rate: string) => picturesPerBeat(rate) / toRate(rate)

export function toRate(rate: string): number {
  const [numerator = 0, denominator = 1] = rate.split('/').map(Number)
  return numerator / denominator
}

const FLASH_SECONDS = 0.1
const BEEP_SECONDS = 0.05

export type Scene = {
  readonly size: string
  /** Of the numbers that are counted. */
  readonly rate: string
  readonly seconds: number
  /** Of an interlaced film, which has two fields in a picture. */
  readonly fields?: 1 | 2
  /** What becomes of the drawn picture, as filters of ffmpeg. */
  readonly filters?: string
}

/** As an input of ffmpeg. */
export function drawn({ size, rate, seconds, fields = 1, filters = 'null' }: Scene): string[] {
  const [width, height] = size.split('x').map(Number)
  const [numerator = 0, denominator = 1] = rate.split('/').map(Number)
  const shooting = `r=${numerator * fields}/${denominator}:d=${seconds}`
  const count = `floor(N/${fields})`
  const beat = picturesPerBeat(rate)
  const flash = `255*lt(mod(${count},${beat}),${Math.ceil(beat * FLASH_SECONDS)})`
  const bit = `255*mod(floor(${count}/pow(2,X-1)),2)`
  const counter = `if(eq(X,0),255,if(eq(X,${COUNT_BITS + 1}),0,${bit}))`
  const pattern = [
    `color=c=black:s=${PATTERN_COLUMNS}x${PATTERN_ROWS}:${shooting},format=gray`,
    `geq=lum='if(lt(Y,2),${flash},${counter})'`,
    `scale=${width}:${Math.floor((height ?? 0) / 2)}:flags=neighbor,format=yuv420p[pattern]`,
  ]
  const scene = `testsrc2=s=${size}:${shooting}[scene]`
  return inputOf(`${scene};${pattern.join(',')};[scene][pattern]overlay,${filters}[out0]`)
}

export type Sound = {
  /** When it begins and ends, in the film's time, which begins with the picture. */
  readonly from: number
  readonly to: number
  readonly sampleRate?: number
  readonly layout?: 'mono' | 'stereo' | '5.1'
}

const channelsOf = { mono: 1, stereo: 2, '5.1': 6 } as const

/** Six channels with the same in them, mixed down to two, must not be louder than anything can be. */
const levels = { mono: 1, stereo: 1, '5.1': 0.4 } as const

/** The same in every channel. */
export function beeping(rate: string, sound: Sound): string[] {
  const { from, to, sampleRate = 48_000, layout = 'stereo' } = sound
  const beat = secondsPerBeat(rate)
  const phase = from < 0 ? from + beat : from
  const beep = `0.5*sin(2*PI*1000*t)*lt(mod(t+${phase},${beat}),${BEEP_SECONDS})`
  const channel = `${levels[layout]}*(${beep}+0.02*sin(2*PI*220*t))`
  const channels = Array(channelsOf[layout]).fill(channel).join('|')
  const source = `aevalsrc='${channels}':c=${layout}:s=${sampleRate}:d=${to - from}`
  return [...(from === 0 ? [] : ['-itsoffset', `${from}`]), ...inputOf(source)]
}

const inputOf = (graph: string) => ['-f', 'lavfi', '-i', graph]

export type SeenPattern = { readonly count: number; readonly isFlash: boolean }

/** From the brightness of its fields, row by row. Undefined where it stands on its head, or is none. */
export function readPattern(fields: Uint8Array): SeenPattern | undefined {
  const brightness = (column: number, row: number) => fields[row * PATTERN_COLUMNS + column] ?? 0
  const counter = (column: number) => (brightness(column, 2) + brightness(column, 3)) / 2
  const [white, black] = [counter(0), counter(COUNT_BITS + 1)]
  if (white - black < LEAST_CONTRAST) return undefined
  const isWhite = (value: number) => value > (white + black) / 2
  const bits = Array.from({ length: COUNT_BITS }, (_, bit) => isWhite(counter(bit + 1)))
  const count = bits.reduce((sum, isSet, bit) => sum + (isSet ? 2 ** bit : 0), 0)
  const above = Array.from({ length: PATTERN_COLUMNS }, (_, column) => brightness(column, 0))
  return { count, isFlash: isWhite(above.reduce((sum, value) => sum + value, 0) / above.length) }
}

const LEAST_CONTRAST = 80

/**
 * Test pattern of the films, so that tests can identify each frame and check the synchronization of the audio.
 *
 * The upper half of the frame is a pattern of 12 by 4 cells above a moving scene. About once per second, its upper two
 * rows are white for a moment, the *flash*, together with a beep. The lower two rows count: a white cell, ten cells for
 * the bits of the frame's number from the lowest, and a black cell. The first and the last calibrate white and black,
 * and show whether the frame is upright. Between the beeps there is a hum, so that gaps can be detected.
 */

export const PATTERN_COLUMNS = 12
export const PATTERN_ROWS = 4
const COUNT_BITS = 10

/** Frames per beat, an integer, so that flash and beep start at the same time at any frame rate. */
const framesPerBeat = (rate: string) => Math.max(1, Math.round(toRate(rate)))
export const secondsPerBeat = (rate: string) => framesPerBeat(rate) / toRate(rate)

export function toRate(rate: string): number {
  const [numerator = 0, denominator = 1] = rate.split('/').map(Number)
  return numerator / denominator
}

const FLASH_SECONDS = 0.1
const BEEP_SECONDS = 0.05

export type Scene = {
  readonly size: string
  /** Frames per second of the frame counter. */
  readonly rate: string
  readonly seconds: number
  /** Fields per frame: 2 for interlaced films. */
  readonly fields?: 1 | 2
  /** Filters of ffmpeg that are applied to the drawn frame. */
  readonly filters?: string
}

/** Input arguments of ffmpeg for the video. */
export function videoInput({ size, rate, seconds, fields = 1, filters = 'null' }: Scene): string[] {
  const [width, height] = size.split('x').map(Number)
  const [numerator = 0, denominator = 1] = rate.split('/').map(Number)
  const timing = `r=${numerator * fields}/${denominator}:d=${seconds}`
  const count = `floor(N/${fields})`
  const beat = framesPerBeat(rate)
  const flash = `255*lt(mod(${count},${beat}),${Math.ceil(beat * FLASH_SECONDS)})`
  const bit = `255*mod(floor(${count}/pow(2,X-1)),2)`
  const counter = `if(eq(X,0),255,if(eq(X,${COUNT_BITS + 1}),0,${bit}))`
  const pattern = [
    `color=c=black:s=${PATTERN_COLUMNS}x${PATTERN_ROWS}:${timing},format=gray`,
    `geq=lum='if(lt(Y,2),${flash},${counter})'`,
    `scale=${width}:${Math.floor((height ?? 0) / 2)}:flags=neighbor,format=yuv420p[pattern]`,
  ]
  const scene = `testsrc2=s=${size}:${timing}[scene]`
  return inputOf(`${scene};${pattern.join(',')};[scene][pattern]overlay,${filters}[out0]`)
}

export type TestAudio = {
  /** Start and end of the audio in seconds, relative to the start of the video. */
  readonly from: number
  readonly to: number
  readonly sampleRate?: number
  readonly layout?: 'mono' | 'stereo' | '5.1'
}

const channelsOf = { mono: 1, stereo: 2, '5.1': 6 } as const

/**
 * Audio levels. The level of 5.1 is reduced, because six identical channels must not clip when they are mixed to
 * stereo.
 */
const levels = { mono: 1, stereo: 1, '5.1': 0.4 } as const

/** Returns input arguments of ffmpeg for the audio, which is the same in every channel. */
export function audioInput(rate: string, audio: TestAudio): string[] {
  const { from, to, sampleRate = 48_000, layout = 'stereo' } = audio
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

/** Reads the brightness of the cells, row by row. Undefined if there is no pattern, or if it is upside down. */
export function readPattern(fields: Uint8Array): SeenPattern | undefined {
  const brightness = (column: number, row: number) => fields[row * PATTERN_COLUMNS + column] ?? 0
  const counter = (column: number) => (brightness(column, 2) + brightness(column, 3)) / 2
  const [white, black] = [counter(0), counter(COUNT_BITS + 1)]
  if (white - black < CONTRAST_MIN) return undefined
  const isWhite = (value: number) => value > (white + black) / 2
  const bits = Array.from({ length: COUNT_BITS }, (_, bit) => isWhite(counter(bit + 1)))
  const count = bits.reduce((sum, isSet, bit) => sum + (isSet ? 2 ** bit : 0), 0)
  const above = Array.from({ length: PATTERN_COLUMNS }, (_, column) => brightness(column, 0))
  return { count, isFlash: isWhite(above.reduce((sum, value) => sum + value, 0) / above.length) }
}

const CONTRAST_MIN = 80

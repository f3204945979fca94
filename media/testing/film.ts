/** What a film is, to who makes it and to who judges what became of it. */
import { beeping, drawn, type Scene, type Sound, secondsPerBeat, toRate } from './film-pattern.ts'

export type Film = {
  /** Its file. */
  readonly name: string
  /** What has gone wrong with such files, in a few words. */
  readonly trap: string
  /** Of ffmpeg, before the name of the file. */
  readonly arguments: readonly string[]
  /** A second run, which only copies: what stands before and after its input. */
  readonly copying?: Copying
  readonly expected: ExpectedFilm
}

type Copying = { readonly before?: readonly string[]; readonly after?: readonly string[] }

export type ExpectedFilm = {
  /** As shown. */
  readonly width: number
  readonly height: number
  /** Of the longest stream. Containers round it. */
  readonly durationSeconds: number
  /** Of the plan. */
  readonly frameRate: string
  /** When there is sound. */
  readonly sound: { readonly from: number; readonly to: number } | null
  /**
   * What is to be seen: the number that the first picture shows, how many there are a second, and
   * when flash and beep begin.
   */
  readonly pattern: {
    readonly firstCount: number
    readonly countsPerSecond: number
    readonly firstBeatSeconds: number
    readonly secondsPerBeat: number
    /** The number of the last picture, at the most; it then stands. */
    readonly lastCount: number
  }
}

type Description = Scene & {
  readonly name: string
  readonly trap: string
  /** Absent: as long as the picture, in stereo. Null: none. */
  readonly sound?: Partial<Sound> | null
  /** Codecs and container, as words. */
  readonly encoded?: string
  readonly inputs?: readonly string[]
  readonly copying?: Copying
  readonly expected?: Partial<ExpectedFilm>
}

export const h264 = '-c:v libx264 -preset ultrafast -crf 23 -pix_fmt yuv420p'
export const aac = '-c:a aac -b:a 128k'

const words = (line: string) => line.split(' ').filter((word) => word !== '')

/**
 * What is not said follows: the picture is drawn upright in the size in which it is shown, and
 * planned with the rate at which it counts.
 */
export function film(description: Description): Film {
  const { name, trap, copying, size, rate, seconds, encoded = `${h264} ${aac}` } = description
  const sound = description.sound === null ? null : { from: 0, to: seconds, ...description.sound }
  const [width = 0, height = 0] = size.split('x').map(Number)
  const countsPerSecond = toRate(rate)
  const pattern = {
    ...{ firstCount: 0, countsPerSecond, firstBeatSeconds: 0 },
    ...{
      secondsPerBeat: secondsPerBeat(rate),
      lastCount: Math.ceil(seconds * countsPerSecond - 0.001) - 1,
    },
  }
  return {
    ...{ name, trap },
    arguments: [
      ...drawn(description),
      ...(sound ? beeping(rate, sound) : []),
      ...(description.inputs ?? []),
      ...words(encoded),
    ],
    ...(copying && { copying }),
    expected: {
      ...{ width, height, frameRate: rate },
      durationSeconds: Math.max(seconds, sound?.to ?? 0),
      sound: sound && { from: sound.from, to: sound.to },
      pattern,
      ...description.expected,
    },
  }
}

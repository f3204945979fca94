/** A test film: how it is created, and what is expected of its renditions. */
import { audioInput, type Scene, secondsPerBeat, type TestAudio, toRate, videoInput } from './film-pattern.ts'

export type Film = {
  readonly name: string
  /** What is difficult about such files, in a few words. */
  readonly difficulty: string
  /** Arguments of ffmpeg, before the name of the file. */
  readonly arguments: readonly string[]
  /** A second run of ffmpeg that only copies streams: arguments before and after its input. */
  readonly remux?: Remux
  readonly expected: ExpectedFilm
}

type Remux = { readonly before?: readonly string[]; readonly after?: readonly string[] }

export type ExpectedFilm = {
  /** Display size. */
  readonly width: number
  readonly height: number
  /** Duration of the longest stream. Containers round it. */
  readonly durationSeconds: number
  /** Frame rate of the plan. */
  readonly frameRate: string
  /** Start and end of the audio, in seconds. */
  readonly audio: { readonly from: number; readonly to: number } | null
  /** Content of the pattern: number of the first frame, numbers per second, and times of flash and beep. */
  readonly pattern: {
    readonly firstCount: number
    readonly countsPerSecond: number
    readonly firstBeatSeconds: number
    readonly secondsPerBeat: number
    /** Highest number of the frame counter, shown by the last frame, which is repeated until the end. */
    readonly lastCount: number
  }
}

type Description = Scene & {
  readonly name: string
  readonly difficulty: string
  /** Audio of the film. Default: stereo, as long as the video. Null: no audio. */
  readonly audio?: Partial<TestAudio> | null
  /** Arguments of ffmpeg for the codecs and the container, separated by spaces. */
  readonly encoded?: string
  readonly inputs?: readonly string[]
  readonly remux?: Remux
  readonly expected?: Partial<ExpectedFilm>
}

export const h264 = '-c:v libx264 -preset ultrafast -crf 23 -pix_fmt yuv420p'
export const aac = '-c:a aac -b:a 128k'

const splitArguments = (line: string) => line.split(' ').filter((word) => word !== '')

/**
 * Describes a film. By default, the video is drawn upright in its display size, and its planned frame rate is the
 * rate of its frame counter.
 */
export function film(description: Description): Film {
  const { name, difficulty, remux, size, rate, seconds, encoded = `${h264} ${aac}` } = description
  const audio = description.audio === null ? null : { from: 0, to: seconds, ...description.audio }
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
    ...{ name, difficulty },
    arguments: [
      ...videoInput(description),
      ...(audio ? audioInput(rate, audio) : []),
      ...(description.inputs ?? []),
      ...splitArguments(encoded),
    ],
    ...(remux && { remux }),
    expected: {
      ...{ width, height, frameRate: rate },
      durationSeconds: Math.max(seconds, audio?.to ?? 0),
      audio: audio && { from: audio.from, to: audio.to },
      pattern,
      ...description.expected,
    },
  }
}

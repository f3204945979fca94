/** The sound of a video as recognisers take it, in a file of this machine's. */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { inputArguments } from '../probe/ffprobe-arguments.ts'
import type { Input } from '../probe/input-arguments.ts'
import type { Run, Sandbox } from '../sandbox/sandbox.ts'
import type { Source } from '../source/source.ts'
import { BYTES_PER_SAMPLE, SAMPLES_PER_SECOND, type Sound } from './recogniser.ts'
import { runFfmpeg } from './source-run.ts'
import { soundLimits } from './subtitle-limits.ts'
import { pictureArguments, type TimedVideo } from './time-zero.ts'

const NAME = 'sound.s16le'

export type SoundWish = {
  readonly source: Source
  readonly probe: TimedVideo
  /** Of the sound. */
  readonly streamIndex: number
  /** Where it is written to: it takes 115 MB an hour. */
  readonly directory: string
  readonly signal: AbortSignal
}

/** Sound that begins late, or stops and goes on, keeps its time: what is missing is silence. */
export const soundArguments = (
  input: Input,
  { probe, streamIndex }: Pick<SoundWish, 'probe' | 'streamIndex'>,
  output: string,
) => [
  ...['-hide_banner', '-nostdin', '-y', '-loglevel', 'error', '-nostats'],
  ...inputArguments(input, probe.container),
  ...['-map', `0:${streamIndex}`, '-vn', '-sn', '-dn'],
  ...['-af', `aresample=${SAMPLES_PER_SECOND}:async=1:first_pts=0`, '-ac', '1'],
  ...['-c:a', 'pcm_s16le', '-f', 's16le', output],
  ...pictureArguments(probe),
]

/** The sound could not be had. A run that was stopped, or has no time left, is one that may go better another time. */
export class SoundUnreadable extends Error {
  override readonly name = 'SoundUnreadable'
  /** The file is at fault, and will be again. */
  readonly isFinal: boolean

  constructor({ ending, stderr }: Pick<Run, 'ending' | 'stderr'>) {
    super(`The sound could not be decoded (${ending.kind}): ${stderr.trim().slice(-200)}`)
    this.isFinal = ['exited', 'crashed', 'strange-output'].includes(ending.kind)
  }
}

/** @throws SoundUnreadable, SourceUnreadable */
export async function extractSound(sandbox: Sandbox, wish: SoundWish): Promise<Sound> {
  const { source, directory, signal } = wish
  const run = await runFfmpeg(sandbox, {
    ...{ source, directory, signal, limits: soundLimits },
    argumentsOf: (opened, output) => soundArguments(opened, wish, output(NAME)),
  })
  const path = join(directory, NAME)
  const bytes = await stat(path).then(
    ({ size }) => size,
    () => 0,
  )
  // A damaged file has a bad exit and still much that can be heard.
  if (run.ending.kind !== 'exited' || (run.ending.code !== 0 && bytes === 0)) {
    throw new SoundUnreadable(run)
  }
  return { path, seconds: bytes / BYTES_PER_SAMPLE / SAMPLES_PER_SECOND }
}

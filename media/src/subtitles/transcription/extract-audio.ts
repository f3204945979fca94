/** Extracts the audio of a video to a local file, in the format of the transcribers. */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { inputArguments } from '../../probe/ffprobe-arguments.ts'
import type { Input } from '../../probe/input-arguments.ts'
import type { Run, Sandbox } from '../../sandbox/sandbox.ts'
import type { Source } from '../../source/source.ts'
import { runFfmpeg } from '../run-ffmpeg.ts'
import { audioLimits } from '../subtitle-limits.ts'
import { type TimedVideo, videoStreamArguments } from '../video-stream.ts'
import { type AudioFile, BYTES_PER_SAMPLE, SAMPLES_PER_SECOND } from './transcriber.ts'

const NAME = 'audio.s16le'

export type ExtractAudioOptions = {
  readonly source: Source
  readonly probe: TimedVideo
  /** Index of the audio stream. */
  readonly streamIndex: number
  /** Output directory. One hour of audio takes 115 MB. */
  readonly directory: string
  readonly signal: AbortSignal
}

/** Keeps the timing of audio that starts late or has gaps: gaps are filled with silence. */
export const audioArguments = (
  input: Input,
  { probe, streamIndex }: Pick<ExtractAudioOptions, 'probe' | 'streamIndex'>,
  output: string,
) => [
  ...['-hide_banner', '-nostdin', '-y', '-loglevel', 'error', '-nostats'],
  ...inputArguments(input, probe.container),
  ...['-map', `0:${streamIndex}`, '-vn', '-sn', '-dn'],
  ...['-af', `aresample=${SAMPLES_PER_SECOND}:async=1:first_pts=0`, '-ac', '1'],
  ...['-c:a', 'pcm_s16le', '-f', 's16le', output],
  ...videoStreamArguments(probe),
]

/** The audio could not be extracted. */
export class AudioUnreadable extends Error {
  override readonly name = 'AudioUnreadable'
  /** True if the file is the cause; otherwise a retry may succeed. */
  readonly isFinal: boolean

  constructor({ exitStatus, stderr }: Pick<Run, 'exitStatus' | 'stderr'>) {
    super(`The audio could not be decoded (${exitStatus.kind}): ${stderr.trim().slice(-200)}`)
    this.isFinal = ['exited', 'crashed', 'invalid-output'].includes(exitStatus.kind)
  }
}

/** @throws AudioUnreadable, SourceUnreadable */
export async function extractAudio(sandbox: Sandbox, options: ExtractAudioOptions): Promise<AudioFile> {
  const { source, directory, signal } = options
  const run = await runFfmpeg(sandbox, {
    ...{ source, directory, signal, limits: audioLimits },
    argumentsOf: (opened, output) => audioArguments(opened, options, output(NAME)),
  })
  const path = join(directory, NAME)
  const bytes = await stat(path).then(
    ({ size }) => size,
    () => 0,
  )
  // Damaged files have a bad exit code, but much of their audio can be decoded.
  if (run.exitStatus.kind !== 'exited' || (run.exitStatus.code !== 0 && bytes === 0)) {
    throw new AudioUnreadable(run)
  }
  return { path, seconds: bytes / BYTES_PER_SAMPLE / SAMPLES_PER_SECOND }
}

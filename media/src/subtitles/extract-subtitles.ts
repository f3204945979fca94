/** Extracts the text subtitles of a file as WebVTT. Subtitles stored as images are skipped. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SubtitleFacts } from '../probe/facts/probe-facts.ts'
import { inputArguments } from '../probe/ffprobe-arguments.ts'
import type { Input } from '../probe/input-arguments.ts'
import type { Run, Sandbox } from '../sandbox/sandbox.ts'
import { openScratch } from '../scratch/temporary-directories.ts'
import type { Source } from '../source/source.ts'
import { readTrack } from './read-track.ts'
import { runFfmpeg } from './run-ffmpeg.ts'
import { EXTRACTED_TRACKS_MAX, extractLimits } from './subtitle-limits.ts'
import { type TimedVideo, videoStreamArguments } from './video-stream.ts'
import { writeWebVtt } from './webvtt.ts'

export type ExtractedTrack = {
  readonly streamIndex: number
  /** BCP 47 language tag; "und" if the file does not declare a language. */
  readonly language: string
  readonly title?: string
  readonly webVtt: string
}

export type ExtractSubtitlesOptions = {
  readonly source: Source
  readonly probe: TimedVideo & { readonly subtitles: readonly SubtitleFacts[] }
  readonly signal: AbortSignal
}

const nameOf = (streamIndex: number) => `${streamIndex}.vtt`

export const extractArguments = (
  input: Input,
  probe: TimedVideo,
  streams: readonly number[],
  output: (name: string) => string,
) => [
  ...['-hide_banner', '-nostdin', '-y', '-loglevel', 'error', '-nostats'],
  ...inputArguments(input, probe.container),
  ...streams.flatMap((index) => [...['-map', `0:${index}`, '-c:s', 'webvtt', '-f', 'webvtt'], output(nameOf(index))]),
  ...videoStreamArguments(probe),
]

export const extractableStreams = (subtitles: readonly SubtitleFacts[]): readonly SubtitleFacts[] =>
  subtitles.filter(({ isText }) => isText).slice(0, EXTRACTED_TRACKS_MAX)

/** Extraction was interrupted; a retry may succeed. */
class SubtitlesInterrupted extends Error {
  override readonly name = 'SubtitlesInterrupted'
}

/**
 * Extracts all text tracks, except those that are unreadable or empty. @throws SubtitlesInterrupted, SourceUnreadable
 */
export async function extractSubtitles(sandbox: Sandbox, options: ExtractSubtitlesOptions): Promise<ExtractedTrack[]> {
  const streams = extractableStreams(options.probe.subtitles)
  if (streams.length === 0) return []
  await using scratch = await openScratch()
  const all = await convert(sandbox, options, streams, scratch.directory)
  if (hasSucceeded(all)) return readAll(streams, scratch.directory)
  // One of the tracks made ffmpeg fail: extract each track separately, to keep the others.
  const extracted: ExtractedTrack[] = []
  for (const stream of streams) {
    const run = await convert(sandbox, options, [stream], scratch.directory)
    if (hasSucceeded(run)) extracted.push(...(await readAll([stream], scratch.directory)))
  }
  return extracted
}

const hasSucceeded = ({ exitStatus }: Run) => exitStatus.kind === 'exited' && exitStatus.code === 0

/** Converts the streams with ffmpeg. Throws if ffmpeg was interrupted and a retry may succeed. */
async function convert(
  sandbox: Sandbox,
  { source, probe, signal }: ExtractSubtitlesOptions,
  streams: readonly SubtitleFacts[],
  directory: string,
): Promise<Run> {
  const indexes = streams.map(({ streamIndex }) => streamIndex)
  const run = await runFfmpeg(sandbox, {
    ...{ source, directory, signal, limits: extractLimits },
    argumentsOf: (opened, output) => extractArguments(opened, probe, indexes, output),
  })
  if (isInterrupted(run)) {
    throw new SubtitlesInterrupted(`ffmpeg was interrupted: ${JSON.stringify(run.exitStatus)}`)
  }
  return run
}

/** The wall-clock limit also counts as an interruption, because it means that the machine or storage was too slow. */
const isInterrupted = ({ exitStatus }: Run) =>
  ['aborted', 'killed', 'worker-memory', 'not-started'].includes(exitStatus.kind) ||
  (exitStatus.kind === 'limit' && exitStatus.limit === 'time')

async function readAll(streams: readonly SubtitleFacts[], directory: string): Promise<ExtractedTrack[]> {
  const read = streams.map(async ({ streamIndex, language = 'und', title }) => {
    const text = await readFile(join(directory, nameOf(streamIndex)), 'utf8')
    const { cues } = { cues: undefined, ...readTrack(text) }
    if (!cues) return []
    return [
      {
        streamIndex,
        language,
        ...(title === undefined ? {} : { title }),
        webVtt: writeWebVtt(cues),
      },
    ]
  })
  return (await Promise.all(read)).flat()
}

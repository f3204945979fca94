/** Subtitles that are in the file, as WebVTT. Those that are pictures stay where they are. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inputArguments } from '../probe/ffprobe-arguments.ts'
import type { Input } from '../probe/input-arguments.ts'
import type { SubtitleFacts } from '../probe/probe-facts.ts'
import type { Run, Sandbox } from '../sandbox/sandbox.ts'
import { openScratch } from '../sandbox/temporary-directories.ts'
import type { Source } from '../source/source.ts'
import { readTrack } from './read-track.ts'
import { runFfmpeg } from './source-run.ts'
import { CARRIED_TRACKS_MAX, carryLimits } from './subtitle-limits.ts'
import { pictureArguments, type TimedVideo } from './time-zero.ts'
import { writeWebVtt } from './webvtt.ts'

export type CarriedTrack = {
  readonly streamIndex: number
  /** BCP 47; "und" if the file does not tell. */
  readonly language: string
  readonly title?: string
  readonly webVtt: string
}

export type CarryWish = {
  readonly source: Source
  readonly probe: TimedVideo & { readonly subtitles: readonly SubtitleFacts[] }
  readonly signal: AbortSignal
}

const nameOf = (streamIndex: number) => `${streamIndex}.vtt`

export const carryArguments = (
  input: Input,
  probe: TimedVideo,
  streams: readonly number[],
  output: (name: string) => string,
) => [
  ...['-hide_banner', '-nostdin', '-y', '-loglevel', 'error', '-nostats'],
  ...inputArguments(input, probe.container),
  ...streams.flatMap((index) => [
    ...['-map', `0:${index}`, '-c:s', 'webvtt', '-f', 'webvtt'],
    output(nameOf(index)),
  ]),
  ...pictureArguments(probe),
]

export const carriedStreams = (subtitles: readonly SubtitleFacts[]): readonly SubtitleFacts[] =>
  subtitles.filter(({ isText }) => isText).slice(0, CARRIED_TRACKS_MAX)

/** There is no verdict on the subtitles: made again, they may well be had. */
class SubtitlesInterrupted extends Error {
  override readonly name = 'SubtitlesInterrupted'
}

/** Those that can be read; one that cannot, or is empty, is left out. @throws SubtitlesInterrupted, SourceUnreadable */
export async function carrySubtitles(sandbox: Sandbox, wish: CarryWish): Promise<CarriedTrack[]> {
  const streams = carriedStreams(wish.probe.subtitles)
  if (streams.length === 0) return []
  await using scratch = await openScratch()
  const all = await convert(sandbox, wish, streams, scratch.directory)
  if (isDone(all)) return readAll(streams, scratch.directory)
  // One of them is at fault: each by itself, and the others are saved.
  const carried: CarriedTrack[] = []
  for (const stream of streams) {
    const one = await convert(sandbox, wish, [stream], scratch.directory)
    if (isDone(one)) carried.push(...(await readAll([stream], scratch.directory)))
  }
  return carried
}

const isDone = ({ ending }: Run) => ending.kind === 'exited' && ending.code === 0

/** Answers when it came to its end, or would come to the same again. */
async function convert(
  sandbox: Sandbox,
  { source, probe, signal }: CarryWish,
  streams: readonly SubtitleFacts[],
  directory: string,
): Promise<Run> {
  const indexes = streams.map(({ streamIndex }) => streamIndex)
  const run = await runFfmpeg(sandbox, {
    ...{ source, directory, signal, limits: carryLimits },
    argumentsOf: (opened, output) => carryArguments(opened, probe, indexes, output),
  })
  if (isInterrupted(run)) {
    throw new SubtitlesInterrupted(`No subtitles came: ${JSON.stringify(run.ending)}`)
  }
  return run
}

/** Time on the clock says that the machine, or storage, had too much to do. */
const isInterrupted = ({ ending }: Run) =>
  ['aborted', 'killed', 'not-started'].includes(ending.kind) ||
  (ending.kind === 'limit' && ending.limit === 'time')

async function readAll(
  streams: readonly SubtitleFacts[],
  directory: string,
): Promise<CarriedTrack[]> {
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

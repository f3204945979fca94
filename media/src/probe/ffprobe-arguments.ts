/** The command lines of a probe: pure, compared as a whole in tests. */
import type { OpenedSource } from '../source/opened-source.ts'
import { videoDecoders } from './codecs.ts'
import { type Container, containers } from './container.ts'
import { shownEntries } from './ffprobe-document.ts'
import {
  ANALYZED_BYTES,
  ANALYZED_MICROSECONDS,
  PICTURE_PIXELS_MAX,
  STREAMS_READ_MAX,
} from './probe-limits.ts'

type Input = Pick<OpenedSource, 'address' | 'protocols'>

/** As the one container that it was recognised as, with no way to any other file, and decoders of the list alone. */
function inputArguments({ address, protocols }: Input, container: Container): string[] {
  const { demuxer } = containers[container]
  return [
    ...['-threads', '1'],
    ...['-protocol_whitelist', protocols],
    ...['-format_whitelist', demuxer],
    ...['-codec_whitelist:v', videoDecoders],
    ...['-max_pixels', String(PICTURE_PIXELS_MAX)],
    ...['-max_streams', String(STREAMS_READ_MAX)],
    ...['-probesize', String(ANALYZED_BYTES)],
    ...['-analyzeduration', String(ANALYZED_MICROSECONDS)],
    // Or it looks for every piece of a fragmented file before it says anything.
    ...(demuxer === 'mov' ? ['-fflags', '+ignidx'] : []),
    ...['-f', demuxer],
    ...['-i', address],
  ]
}

export const ffprobeArguments = (input: Input, container: Container) => [
  ...['-hide_banner', '-loglevel', 'warning'],
  ...['-print_format', 'json=compact=1'],
  ...['-show_entries', shownEntries],
  ...inputArguments(input, container),
]

/**
 * Decodes until there is one picture, and counts. An edit list may have an hour decoded before the first one that is
 * shown; whether the video can be decoded at all is seen from what is stored first.
 */
export const decodeArguments = (input: Input, container: Container, streamIndex: number) => [
  ...['-hide_banner', '-nostdin', '-loglevel', 'error', '-nostats', '-noautorotate'],
  ...(containers[container].demuxer === 'mov' ? ['-ignore_editlist', '1'] : []),
  ...inputArguments(input, container),
  ...['-map', `0:${streamIndex}`, '-frames:v', '1', '-f', 'null', '-progress', 'pipe:1', '-'],
]

/** From what `-progress` writes. */
export const decodedFrames = (progress: string) =>
  Math.max(
    0,
    ...Array.from(progress.matchAll(/^frame=\s*(\d{1,9})$/gm), ([, count]) => Number(count)),
  )

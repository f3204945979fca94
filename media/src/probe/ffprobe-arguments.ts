/** Command lines of a probe. Pure; tests check the whole command lines. */
import { type Container, containers } from './container/container.ts'
import { shownEntries } from './ffprobe-document.ts'
import { guardArguments, type Input } from './input-arguments.ts'

export function inputArguments(input: Input, container: Container): string[] {
  const { demuxer } = containers[container]
  return [
    ...['-threads', '1'],
    ...guardArguments(input, container),
    // Without this flag, ffprobe first searches all fragments of a fragmented file.
    ...(demuxer === 'mov' ? ['-fflags', '+ignidx'] : []),
    ...['-f', demuxer],
    ...['-i', input.address],
  ]
}

export const ffprobeArguments = (input: Input, container: Container) => [
  ...['-hide_banner', '-loglevel', 'warning'],
  ...['-print_format', 'json=compact=1'],
  ...['-show_entries', shownEntries],
  ...inputArguments(input, container),
]

/**
 * Decodes one frame and reports the count. The edit list is ignored: it may require decoding an hour of video
 * before the first frame to display, and the first stored frame also shows whether the video can be decoded.
 */
export const decodeArguments = (input: Input, container: Container, streamIndex: number) => [
  ...['-hide_banner', '-nostdin', '-loglevel', 'error', '-nostats', '-noautorotate'],
  ...(containers[container].demuxer === 'mov' ? ['-ignore_editlist', '1'] : []),
  ...inputArguments(input, container),
  ...['-map', `0:${streamIndex}`, '-frames:v', '1', '-f', 'null', '-progress', 'pipe:1', '-'],
]

/** Returns the number of decoded frames in the output of `-progress`. */
export const decodedFrames = (progress: string) =>
  Math.max(0, ...Array.from(progress.matchAll(/^frame=\s*(\d{1,9})$/gm), ([, count]) => Number(count)))

/** The command lines of a probe: pure, compared as a whole in tests. */
import { type Container, containers } from './container.ts'
import { shownEntries } from './ffprobe-document.ts'
import { guardArguments, type Input } from './input-arguments.ts'

export function inputArguments(input: Input, container: Container): string[] {
  const { demuxer } = containers[container]
  return [
    ...['-threads', '1'],
    ...guardArguments(input, container),
    // Or it looks for every piece of a fragmented file before it says anything.
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

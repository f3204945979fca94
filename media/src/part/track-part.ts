/** A part of a WebVTT file that this service has written: subtitles, or the tiles of a storyboard. */

export type TimeRange = { readonly startSeconds: number; readonly endSeconds: number }

const timingForm = /^(?:(\d+):)?(\d\d):(\d\d)\.(\d{3}) --> (?:(\d+):)?(\d\d):(\d\d)\.(\d{3})(.*)$/m

/**
 * Keeps the cues within the range and cuts those at its ends. The start of the range becomes the time `offsetSeconds`.
 * `rewrite` changes the text of each cue.
 */
export function trackPart(
  text: string,
  { startSeconds, endSeconds }: TimeRange,
  { offsetSeconds = 0, rewrite = (cue) => cue }: { offsetSeconds?: number; rewrite?: (cue: string) => string } = {},
): string {
  const [start, end, offset] = [startSeconds, endSeconds, offsetSeconds].map((seconds) => Math.round(seconds * 1000))
  if (start === undefined || end === undefined || offset === undefined) throw new Error('The range has no times')
  const cues = text.split('\n\n').flatMap((block) => {
    const timing = timingForm.exec(block)
    if (!timing) return []
    const shown = { start: Math.max(start, timeOf(timing, 1)), end: Math.min(end, timeOf(timing, 5)) }
    if (shown.start >= shown.end) return []
    const [from, to] = [shown.start, shown.end].map((time) => clock(time - start + offset))
    const cue = block.slice(timing.index + timing[0].length).trim()
    return `${from} --> ${to}${timing[9] ?? ''}\n${rewrite(cue)}\n`
  })
  return ['WEBVTT\n', ...cues].join('\n')
}

/** Milliseconds of the four groups of a time, from this one on. */
const timeOf = (groups: RegExpExecArray, first: number) =>
  ((Number(groups[first] ?? 0) * 60 + Number(groups[first + 1])) * 60 + Number(groups[first + 2])) * 1000 +
  Number(groups[first + 3])

function clock(milliseconds: number): string {
  const padded = (value: number, digits: number) => String(value).padStart(digits, '0')
  const [hours, minutes] = [Math.floor(milliseconds / 3_600_000), Math.floor(milliseconds / 60_000) % 60]
  const seconds = Math.floor(milliseconds / 1000) % 60
  return `${padded(hours, 2)}:${padded(minutes, 2)}:${padded(seconds, 2)}.${padded(milliseconds % 1000, 3)}`
}

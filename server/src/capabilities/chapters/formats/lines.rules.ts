/**
 * Lines as people paste them from a description: a time, then a title.
 *
 *     0:00 Opening
 *     00:12:03 - Interview
 *     3. (1:02:30) Questions
 *
 * A bullet or a number may stand in front, brackets around the time, and a dash, colon or bar behind it. The time
 * comes first: in "Top 10 at 3:45" nobody can tell what is title and what is time.
 */
import { toTimecode } from '../timecodes.rules.ts'
import {
  type Format,
  type Line,
  linesOf,
  type ReadChapter,
  type TextFault,
  toReading,
} from './format.rules.ts'

const bullet = String.raw`(?:[-*•–—]\s+)?(?:\d{1,3}[.)]\s+)?`
const time = String.raw`(?:(?<hours>\d{1,2}):(?<minutes>[0-5]\d)|(?<onlyMinutes>\d{1,3})):(?<seconds>[0-5]\d)(?:[.,]\d{1,3})?`
const lineForm = new RegExp(
  String.raw`^${bullet}(?<open>[([])?${time}(?<close>[)\]])?(?:\s*[-–—:|]\s+|\s+|$)(?<title>.*)$`,
  'su',
)

function readLine({ place, text }: Line): ReadChapter | TextFault {
  const parts = lineForm.exec(text.trim())?.groups
  if (!parts || !parts['open'] !== !parts['close']) {
    return { place, detail: 'does not begin with a time, such as 1:30 or 01:02:30.' }
  }
  const minutes =
    Number(parts['hours'] ?? 0) * 60 + Number(parts['minutes'] ?? parts['onlyMinutes'])
  return {
    place,
    title: parts['title'] ?? '',
    startSeconds: minutes * 60 + Number(parts['seconds']),
  }
}

export const lines: Format = {
  read: (text) =>
    toReading(
      linesOf(text)
        .filter((line) => line.text.trim() !== '')
        .map(readLine),
    ),
  write: (chapters) =>
    chapters
      .map(({ startSeconds, title }) => `${toTimecode(startSeconds)} ${guarded(title)}\n`)
      .join(''),
}

/** A title that begins like what stands between time and title gets that in front, to be told apart. */
const guarded = (title: string) => (/^[-–—:|]\s/u.test(title) ? `- ${title}` : title)

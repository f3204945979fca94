/**
 * Lines as in YouTube descriptions: a time, then a title.
 *
 *     0:00 Opening
 *     00:12:03 - Interview
 *     3. (1:02:30) Questions
 *
 * Accepts a bullet or number before the time, brackets around it, and a dash, colon or bar after it. The time must come
 * first: "Top 10 at 3:45" would be ambiguous.
 */
import { secondsOf, toExactTimecode } from '../timecodes.rules.ts'
import { type Format, type Line, linesOf, type Part } from './format.rules.ts'

const bullet = String.raw`(?:[-*•–—]\s+)?(?:\d{1,3}[.)]\s+)?`
const time = String.raw`(?:(?<hours>\d{1,2}):(?<minutes>[0-5]\d)|(?<onlyMinutes>\d{1,3})):(?<seconds>[0-5]\d)(?<fraction>[.,]\d{1,3})?`
const lineForm = new RegExp(
  String.raw`^${bullet}(?<open>[([])?${time}(?<close>[)\]])?(?:\s*[-–—:|]\s+|\s+|$)(?<title>.*)$`,
  'su',
)

function readLine({ position, text }: Line): Part {
  const parts = lineForm.exec(text.trim())?.groups
  if (!parts || !parts['open'] !== !parts['close']) {
    return { position, detail: 'must start with a time such as 1:30 or 01:02:30.' }
  }
  const minutes = Number(parts['hours'] ?? 0) * 60 + Number(parts['minutes'] ?? parts['onlyMinutes'])
  return {
    position,
    title: parts['title'] ?? '',
    startSeconds: secondsOf(minutes, parts['seconds'], parts['fraction']),
  }
}

function* read(text: string): Generator<Part> {
  for (const line of linesOf(text)) {
    if (line.text.trim() !== '') yield readLine(line)
  }
}

export const lines: Format = {
  read,
  write: (chapters) =>
    chapters.map(({ startSeconds, title }) => `${toExactTimecode(startSeconds)} ${guarded(title)}\n`).join(''),
}

/** Adds a separator before a title that itself starts with one. */
const guarded = (title: string) => (/^[-–—:|]\s/u.test(title) ? `- ${title}` : title)

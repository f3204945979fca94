import { chapters as contract } from '@reelkeep/contract'
import { refused, refusedForViolations, VIOLATIONS_MAX, type Violation } from '../../../kernel/errors.ts'
import { cleanTitle, titleViolation } from '../../../kernel/title.ts'
import type { NewChapter } from '../chapters.rules.ts'
import { ffmetadata } from './ffmetadata.rules.ts'
import type { Format, ReadChapter, TextError } from './format.rules.ts'
import { lines } from './lines.rules.ts'
import { podcasting } from './podcasting.rules.ts'
import { webvtt } from './webvtt.rules.ts'

const { CHAPTERS_PER_ASSET_MAX } = contract

type FormatName = contract.ChapterFormat

const formats: Record<FormatName, Format> = { webvtt, lines, podcasting, ffmetadata }

export type ChapterText = { readonly format: FormatName; readonly text: string }

/** Result of parsing. The chapters are valid only if there are no errors. */
export type ParsedChapters = {
  /** At most one more than a video can have. */
  readonly chapters: readonly ReadChapter[]
  readonly errors: readonly TextError[]
}

/** Parses a text up to the limit of chapters or errors. Also runs in a thread, so its result is plain data. */
export function parseChapters({ format, text }: ChapterText): ParsedChapters {
  const chapters: ReadChapter[] = []
  const errors: TextError[] = []
  for (const part of formats[format].read(text.replace(/^\ufeff/, ''))) {
    const cleaned = 'detail' in part ? part : withCleanTitle(part)
    if ('detail' in cleaned) errors.push(cleaned)
    else chapters.push(cleaned)
    if (errors.length === VIOLATIONS_MAX || chapters.length > CHAPTERS_PER_ASSET_MAX) break
  }
  return { chapters, errors }
}

function withCleanTitle({ position, startSeconds, title: given }: ReadChapter): ReadChapter | TextError {
  // Tabs count as spaces; other control characters are errors.
  const title = given.replaceAll('\t', ' ')
  const violation = titleViolation(title)
  if (violation !== undefined) return { position, detail: `the title ${violation}` }
  return { position, startSeconds, title: cleanTitle(title, 'text') }
}

/** Returns the chapters. Throws an error that lists the positions that cannot be parsed. */
export function requireChapters({ chapters, errors }: ParsedChapters): readonly ReadChapter[] {
  const [first, ...others] = errors
  if (first) throw refusedForViolations([toApiError(first), ...others.map(toApiError)])
  if (chapters.length === 0) throw refused('invalid_chapter_text', NO_CHAPTERS, 'text')
  if (chapters.length > CHAPTERS_PER_ASSET_MAX) throw refused('too_many_chapters', TOO_MANY_CHAPTERS, 'text')
  return chapters
}

const NO_CHAPTERS = 'The text contains no chapters. To delete all chapters, replace them with an empty list.'
const TOO_MANY_CHAPTERS = `A video can have at most ${CHAPTERS_PER_ASSET_MAX} chapters, and the text has more.`

export const writeChapters = (format: FormatName, chapters: readonly NewChapter[], durationSeconds: number): string =>
  formats[format].write(chapters, durationSeconds)

const toApiError = ({ position, detail }: TextError): Violation => ({
  code: 'invalid_chapter_text',
  field: 'text',
  detail: `${position}: ${detail}`,
})

import type { chapters as contract } from '@reelkeep/contract'
import { refused, refusedForViolations, type Violation } from '../../../kernel/errors.ts'
import { cleanTitle, titleViolation } from '../../../kernel/title.ts'
import type { NewChapter } from '../chapters.rules.ts'
import { ffmetadata } from './ffmetadata.rules.ts'
import type { Format, ReadChapter, TextError } from './format.rules.ts'
import { lines } from './lines.rules.ts'
import { podcasting } from './podcasting.rules.ts'
import { webvtt } from './webvtt.rules.ts'

type FormatName = contract.ChapterFormat

const formats: Record<FormatName, Format> = { webvtt, lines, podcasting, ffmetadata }

/** Parses a text. Throws an error that lists every position that cannot be parsed. */
export function readChapters(format: FormatName, text: string): readonly ReadChapter[] {
  const parsed = formats[format].read(text.replace(/^\ufeff/, ''))
  // Tabs count as spaces; other control characters are errors.
  const chapters = parsed.chapters.map((chapter) => ({
    ...chapter,
    title: chapter.title.replaceAll('\t', ' '),
  }))
  const [first, ...others] = [...parsed.errors, ...chapters.flatMap(titleErrorsOf)]
  if (first) throw refusedForViolations([toApiError(first), ...others.map(toApiError)])
  if (chapters.length === 0) throw refused('invalid_chapter_text', NO_CHAPTERS, 'text')
  return chapters.map((chapter) => ({ ...chapter, title: cleanTitle(chapter.title, 'text') }))
}

const NO_CHAPTERS = 'The text contains no chapters. To delete all chapters, replace them with an empty list.'

export const writeChapters = (format: FormatName, chapters: readonly NewChapter[], durationSeconds: number): string =>
  formats[format].write(chapters, durationSeconds)

function titleErrorsOf({ position, title }: ReadChapter): TextError[] {
  const error = titleViolation(title)
  return error === undefined ? [] : [{ position, detail: `the title ${error}` }]
}

const toApiError = ({ position, detail }: TextError): Violation => ({
  code: 'invalid_chapter_text',
  field: 'text',
  detail: `${position}: ${detail}`,
})

import type { chapters as contract } from '@reelkeep/contract'
import { type Fault, refused, refusedForAll } from '../../../kernel/errors.ts'
import { cleanTitle, titleFault } from '../../../kernel/title.ts'
import type { NewChapter } from '../chapters.rules.ts'
import { ffmetadata } from './ffmetadata.rules.ts'
import type { Format, ReadChapter, TextFault } from './format.rules.ts'
import { lines } from './lines.rules.ts'
import { podcasting } from './podcasting.rules.ts'
import { webvtt } from './webvtt.rules.ts'

type FormatName = contract.ChapterFormat

const formats: Record<FormatName, Format> = { webvtt, lines, podcasting, ffmetadata }

/** The chapters of a text, with the place of each. Throws and names every place that cannot be read. */
export function readChapters(format: FormatName, text: string): readonly ReadChapter[] {
  const reading = formats[format].read(text.replace(/^\ufeff/, ''))
  // A tab is a blank that somebody typed; anything else that cannot be seen is told.
  const chapters = reading.chapters.map((chapter) => ({
    ...chapter,
    title: chapter.title.replaceAll('\t', ' '),
  }))
  const [first, ...others] = [...reading.faults, ...chapters.flatMap(titleFaultsOf)]
  if (first) throw refusedForAll([toFault(first), ...others.map(toFault)])
  if (chapters.length === 0) throw refused('invalid_chapter_text', NOTHING, 'text')
  return chapters.map((chapter) => ({ ...chapter, title: cleanTitle(chapter.title, 'text') }))
}

const NOTHING =
  'The text holds no chapter. To take all chapters away, replace them by an empty list.'

export const writeChapters = (
  format: FormatName,
  chapters: readonly NewChapter[],
  durationSeconds: number,
): string => formats[format].write(chapters, durationSeconds)

function titleFaultsOf({ place, title }: ReadChapter): TextFault[] {
  const fault = titleFault(title)
  return fault === undefined ? [] : [{ place, detail: `the title ${fault}` }]
}

const toFault = ({ place, detail }: TextFault): Fault => ({
  code: 'invalid_chapter_text',
  field: 'text',
  detail: `${place}: ${detail}`,
})

import type { Part, ReadChapter, TextError } from './format.rules.ts'

/** Reads a whole text, and separates chapters from errors. */
export function separated(parts: Iterable<Part>): { chapters: ReadChapter[]; errors: TextError[] } {
  const chapters: ReadChapter[] = []
  const errors: TextError[] = []
  for (const part of parts) {
    if ('detail' in part) errors.push(part)
    else chapters.push(part)
  }
  return { chapters, errors }
}

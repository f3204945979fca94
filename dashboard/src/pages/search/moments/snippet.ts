/** The part of a text that contains its first match, with the matching words marked. */
import type { Moment } from 'reelkeep'

export type SnippetPart = { readonly text: string; readonly isMatch: boolean }

/** Sizes in UTF-16 units. */
type SnippetSize = {
  /** A text that is not longer is not shortened. */
  readonly whole: number
  readonly length: number
  /** Text before the first match, so that the words around it are shown. */
  readonly before: number
}

const SEVERAL_LINES: SnippetSize = { whole: 180, length: 180, before: 60 }
/** So that the first match is visible in one line. */
export const ONE_LINE: SnippetSize = { whole: 40, length: 120, before: 20 }
/** A snippet is not shortened by more than this to end at a space. */
const WORD_MAX = 60

/** A snippet starts and ends at a space if there is one near. */
export function snippetOf(
  { text, highlights }: Pick<Moment, 'text' | 'highlights'>,
  { whole, length, before } = SEVERAL_LINES,
): readonly SnippetPart[] {
  const first = highlights[0]?.start ?? 0
  const start = text.length <= whole || first <= before ? 0 : wordAfter(text, first - before, first)
  const end = start + length >= text.length ? text.length : wordBefore(text, start + length)
  const parts: SnippetPart[] = []
  const add = (from: number, to: number, isMatch: boolean) => {
    if (to > from) parts.push({ text: text.slice(from, to), isMatch })
  }
  if (start > 0) parts.push({ text: '… ', isMatch: false })
  let at = start
  for (const highlight of highlights) {
    if (highlight.start < at || highlight.end > end) continue
    add(at, highlight.start, false)
    add(highlight.start, highlight.end, true)
    at = highlight.end
  }
  add(at, end, false)
  if (end < text.length) parts.push({ text: ' …', isMatch: false })
  return parts
}

function wordAfter(text: string, from: number, limit: number): number {
  const space = text.indexOf(' ', from)
  return space >= 0 && space < limit ? space + 1 : unbroken(text, from)
}

function wordBefore(text: string, to: number): number {
  const space = text.lastIndexOf(' ', to)
  return space > to - WORD_MAX ? space : unbroken(text, to)
}

/** Does not divide a character that has two units. */
const unbroken = (text: string, at: number) => (/[\udc00-\udfff]/.test(text.charAt(at)) ? at + 1 : at)

/** Extracts the texts that people read from source files and Markdown. */
export const kinds = ['comments', 'docs', 'messages', 'test titles'] as const
export type Kind = (typeof kinds)[number]
export type Text = { readonly kind: Kind; readonly text: string }

/** The texts of one file; none for files of other types. */
export function textsOf(path: string, source: string): Text[] {
  const asKind = (kind: Kind) => (text: string) => ({ kind, text })
  if (path.endsWith('.md')) return paragraphsOf(source).map(asKind('docs'))
  if (!/(?<!\.d)\.tsx?$/.test(path)) return []
  return [
    ...commentsOf(source).map(asKind('comments')),
    ...matchesOf(source, titlePattern).map(asKind('test titles')),
    ...(path.includes('.test.') ? [] : matchesOf(source, messagePattern).map(asKind('messages'))),
  ]
}

const titlePattern = /\b(?:it|test|describe)(?:\.\w+(?:\([^)]*\))?)*\(\s*['"`]([^'"`\n]+)/g
/**
 * Matches a quoted sentence: a capital letter, at least 15 more characters, and a period, exclamation or question mark.
 */
const messagePattern = /['"`]([A-Z][^'"`\n]{15,}[.!?])['"`]/g

const matchesOf = (source: string, pattern: RegExp): string[] =>
  [...source.matchAll(pattern)].map(([, text = '']) => text)

/**
 * Returns block comments, and consecutive line comments as one text. Comments after code on the same line are left out.
 */
function commentsOf(source: string): string[] {
  const comments: string[] = []
  const lines = source.split('\n').map((line) => line.trim())
  for (let index = 0; index < lines.length; index++) {
    const first = index
    if (lines[index]?.startsWith('/*')) {
      while (index < lines.length - 1 && !lines[index]?.includes('*/')) index++
      comments.push(joined(lines.slice(first, index + 1), /^\/?\*+\/?|\*\/$/g))
    } else if (lines[index]?.startsWith('// ')) {
      while (lines[index + 1]?.startsWith('//')) index++
      comments.push(joined(lines.slice(first, index + 1), /^\/\//))
    }
  }
  return comments
}

const joined = (lines: readonly string[], mark: RegExp): string =>
  lines
    .map((line) => line.replace(mark, '').trim())
    .join(' ')
    .trim()

/** Paragraphs, table rows and list items without code. */
const paragraphsOf = (source: string): string[] =>
  source
    .replace(/```.*?```|<!--.*?-->|`[^`]*`/gs, ' ')
    .split(/\n\s*\n|\n\||\n[-*] /)
    .map((part) => part.split(/\s+/).filter(Boolean).join(' '))

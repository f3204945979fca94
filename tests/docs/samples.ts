/**
 * The code samples of the documentation: every fenced block in a language that is run. The info string of the fence
 * says how:
 *
 * - `title="NAME"` is a file that later samples use; it is written, not run.
 * - `run=background` is a program that runs until it is stopped.
 * - `not-run="REASON"` is not run.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '@reelkeep/testkit'
import { sourcePages } from '../../site/src/docs/pages.ts'

const languages = ['bash', 'sh', 'ts', 'js'] as const

export type Sample = {
  /** Page and line, such as `docs/guides/events.md:25`. */
  readonly place: string
  readonly language: (typeof languages)[number] | 'html'
  readonly code: string
  readonly file: string | undefined
  readonly isBackground: boolean
  readonly notRun: string | undefined
}

/** The pages of the documentation that the site publishes. */
export const publishedPages = (): string[] =>
  sourcePages()
    .map(({ path }) => path)
    .sort()

/** A fence in a list is indented. */
const fence = /^( *)```(\w+)([^\n]*)\n(.*?)^\1```$/gms

export function samplesIn(page: string): Sample[] {
  const text = readFileSync(join(root, page), 'utf8')
  return [...text.matchAll(fence)].flatMap((match) => {
    const [, indent = '', language = '', info = '', code = ''] = match
    const file = attributeOf(info, 'title')
    const isRun = (languages as readonly string[]).includes(language)
    // Other languages are only needed as files.
    if (!isRun && file === undefined) return []
    return [
      {
        place: `${page}:${text.slice(0, match.index).split('\n').length}`,
        language: language as Sample['language'],
        code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
        file,
        isBackground: / run=background\b/.test(info),
        notRun: attributeOf(info, 'not-run'),
      },
    ]
  })
}

const attributeOf = (info: string, name: string) => new RegExp(` ${name}="([^"]+)"`).exec(info)?.[1]

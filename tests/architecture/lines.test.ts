/**
 * Limits the length of lines, so that they fit side by side in a diff. The formatter wraps code, but neither comments
 * nor prose.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const CHARACTERS_MAX = 120
const root = join(import.meta.dirname, '../..')

const filesOf = (patterns: string[]) =>
  globSync(patterns, {
    cwd: root,
    exclude: ['**/node_modules/**', '**/dist/**', '**/generated/**', 'docs/reference/**', '.stack/**'],
  }).sort()

const tooLong = (file: string, isChecked: (line: string, index: number, all: string[]) => boolean) =>
  readFileSync(join(root, file), 'utf8')
    .split('\n')
    .flatMap((line, index, all) =>
      line.length > CHARACTERS_MAX && isChecked(line, index, all) ? [`${file}:${index + 1}`] : [],
    )

/** An indented example in a comment is a command or a URL, which cannot be wrapped. */
const isComment = (line: string) => /^\s*(\/\/|\/\*\*|\*) ?(?! {3})/.test(line)

it('comments have at most 120 columns', () => {
  const files = filesOf(['{cli,contract,media,player,sdk,server,site,testkit,tests,examples}/**/*.{ts,js}'])
  expect(files.length).toBeGreaterThan(500)
  expect(files.flatMap((file) => tooLong(file, isComment))).toEqual([])
})

/** Whether the line is prose, not a table, an example or a command. */
const isProse = (line: string, index: number, all: string[]) =>
  !/^\s*(\||`|<|!\[)|^ {4}/.test(line) &&
  all.slice(0, index).filter((before) => /^\s*```/.test(before)).length % 2 === 0

it('prose has at most 120 columns', () => {
  const files = filesOf(['*.md', '{docs,stack,sdk,cli,player,examples}/**/*.md'])
  expect(files.length).toBeGreaterThan(40)
  expect(files.flatMap((file) => tooLong(file, isProse))).toEqual([])
})

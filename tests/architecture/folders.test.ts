/** Limits the size of folders, so that each has one topic and its listing fits on a screen. Tests do not count. */
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'

const FILES_MAX = 12
const LINES_MAX = 1500
const root = join(import.meta.dirname, '../..')

const files = globSync(
  '{cli,contract,deploy,examples,media,player,sdk,server,site,stack,testkit,tests,tools}/**/*.{ts,js,css}',
  {
    cwd: root,
    exclude: ['**/node_modules/**', '**/dist/**', '**/generated/**', '**/.stack/**', '**/*.test.ts'],
  },
)
const folders = [...Map.groupBy(files, dirname)]
const linesOf = (file: string) => readFileSync(join(root, file), 'utf8').split('\n').length - 1
const totalLines = (names: readonly string[]) => names.reduce((sum, name) => sum + linesOf(name), 0)

it(`a folder has at most ${FILES_MAX} source files`, () => {
  expect(files.length).toBeGreaterThan(500)
  expect(folders.filter(([, names]) => names.length > FILES_MAX).map(([folder]) => folder)).toEqual([])
})

it(`a folder has at most ${LINES_MAX} lines of source`, () => {
  expect(folders.filter(([, names]) => totalLines(names) > LINES_MAX).map(([folder]) => folder)).toEqual([])
})

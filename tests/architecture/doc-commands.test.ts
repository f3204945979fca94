/** Checks commands and file names in the documentation. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const pages = globSync(['README.md', 'docs/**/*.md'], { cwd: root }).sort()

/** While it runs, ffmpeg would read the next command that is typed into the terminal as commands to ffmpeg. */
it('every ffmpeg command in the documentation has -nostdin', () => {
  const commands = pages.flatMap((page) =>
    [...readFileSync(join(root, page), 'utf8').matchAll(/\bffmpeg -.*/g)].map(([command]) => `${page}: ${command}`),
  )
  expect(commands.length).toBeGreaterThan(4)
  expect(commands.filter((command) => !command.includes('ffmpeg -nostdin '))).toEqual([])
})

it('every source and test file that the security pages name exists', () => {
  const named = pages
    .filter((page) => page.startsWith('docs/security/'))
    .flatMap((page) => [...readFileSync(join(root, page), 'utf8').matchAll(/`([\w-]+\/[\w./-]+)`/g)])
    .map(([, path = '']) => path)
  expect(named.length).toBeGreaterThan(100)
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([])
})

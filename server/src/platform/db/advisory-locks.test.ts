import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { lockSeeds } from './advisory-locks.ts'

it('lockSeeds gives each kind of advisory lock its own seed', () => {
  const seeds = Object.values(lockSeeds)
  expect(new Set(seeds).size).toBe(seeds.length)
})

it('no store uses a literal lock seed that is missing from lockSeeds', () => {
  const src = join(import.meta.dirname, '../..')
  const own = globSync('**/*.store.ts', { cwd: src }).filter((file) =>
    /hashtextextended\([^`]*, \d+\)/.test(readFileSync(join(src, file), 'utf8')),
  )
  expect(own).toEqual([])
})

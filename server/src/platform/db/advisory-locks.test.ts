import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { lockSeeds } from './advisory-locks.ts'

it('has a seed for each kind of lock', () => {
  const seeds = Object.values(lockSeeds)
  expect(new Set(seeds).size).toBe(seeds.length)
})

it('knows all seeds there are', () => {
  const src = join(import.meta.dirname, '../..')
  const own = globSync('**/*.store.ts', { cwd: src }).filter((file) =>
    /hashtextextended\([^`]*, \d+\)/.test(readFileSync(join(src, file), 'utf8')),
  )
  expect(own).toEqual([])
})

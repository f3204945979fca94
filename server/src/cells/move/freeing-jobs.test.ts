import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { freeingJobs } from './freeing-jobs.ts'

const capabilities = join(import.meta.dirname, '../../capabilities')

/** Jobs that delete no object, so they need not run at the destination. */
const others: readonly string[] = []

it('every job except processing steps is listed as one that deletes objects or as one that does not', () => {
  const declared = globSync('*/*.ts', { cwd: capabilities })
    .map((path) => readFileSync(join(capabilities, path), 'utf8'))
    .flatMap((text) => [...text.matchAll(/= defineJob<.*>\(\{\n +name: '([^']+)'/g)])
    .map(([, name]) => name)
  expect([...freeingJobs.map(({ name }) => name), ...others].sort()).toEqual(declared.sort())
})

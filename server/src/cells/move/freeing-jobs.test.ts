import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { freeingJobs } from './freeing-jobs.ts'

const capabilities = join(import.meta.dirname, '../../capabilities')

/** Jobs that delete no object, so that nothing is amiss if they are not done where the organization arrives. */
const others: readonly string[] = []

it('are all jobs but the steps of a video, which delete nothing; whoever adds one says which it is', () => {
  const declared = globSync('*/*.ts', { cwd: capabilities })
    .map((path) => readFileSync(join(capabilities, path), 'utf8'))
    .flatMap((text) => [...text.matchAll(/= defineJob<.*>\(\{\n +name: '([^']+)'/g)])
    .map(([, name]) => name)
  expect([...freeingJobs.map(({ name }) => name), ...others].sort()).toEqual(declared.sort())
})

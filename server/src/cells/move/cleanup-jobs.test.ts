import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { cleanupJobs } from './cleanup-jobs.ts'

const modules = join(import.meta.dirname, '../../modules')

/** Jobs that delete no object, so they need not run at the destination. */
const others: readonly string[] = [
  'activate-version',
  'cover-frame',
  'cover-upload',
  'delete-old-versions',
  'index-transcript',
  'render-part',
  'repair-files',
  'run-bulk-operation',
]

it('every job except processing steps is either in cleanupJobs or listed here as deleting no objects', () => {
  const declared = globSync('**/*.ts', { cwd: modules })
    .map((path) => readFileSync(join(modules, path), 'utf8'))
    .flatMap((text) => [...text.matchAll(/= defineJob<.*>\(\{\n +name: '([^']+)'/g)])
    .map(([, name]) => name)
  expect([...cleanupJobs.map(({ name }) => name), ...others].sort()).toEqual(declared.sort())
})

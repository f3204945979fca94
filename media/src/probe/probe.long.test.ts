/** Probes every video with a known difficulty; `pnpm test` runs only the sample of probe.int.test.ts. */
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { probeCases } from '../../testing/probe-cases.ts'
import { createSources } from '../../testing/sources/sources.ts'
import { openSandbox, type Sandbox } from '../sandbox/sandbox.ts'
import { localFile } from '../source/source.ts'
import { probe } from './probe.ts'

let directory: string
let sandbox: Sandbox
beforeAll(async () => {
  directory = await createSources()
  sandbox = await openSandbox({ mode: 'bubblewrap' })
})

const { signal: never } = new AbortController()

it.each(Object.entries(probeCases))('probe returns the facts of %s', async (name, expected) => {
  const found = await probe(sandbox, localFile(join(directory, name)), { signal: never })
  expect(found).toMatchObject(expected)
})

/**
 * Encodes all parts of every video with a known difficulty; `pnpm test` runs only the sample of
 * encode-part.int.test.ts.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, it } from 'vitest'
import { expectCompleteInParts, type PartCase, partCases } from '../../testing/part-cases.ts'
import { createLongSources } from '../../testing/sources/long-sources.ts'
import { createSources } from '../../testing/sources/sources.ts'
import { openSandbox, type Sandbox } from '../sandbox/sandbox.ts'

let short: string
let long: string
let sandbox: Sandbox
beforeAll(async () => {
  short = await createSources()
  long = await createLongSources()
  sandbox = await openSandbox({ mode: 'bubblewrap' })
}, 300_000)

const pathOf = (name: string) => join(existsSync(join(long, name)) ? long : short, name)

it.each(Object.keys(partCases) as PartCase[])('all parts of %s form a complete video', (name) =>
  expectCompleteInParts(sandbox, pathOf(name), name),
)

/** All parts of every video that is known for a trap; what `pnpm test` takes stands in make-part.process.test.ts. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, it } from 'vitest'
import { makeLongSources } from '../../testing/long-sources.ts'
import { expectWholeInParts, type PartCase, partCases } from '../../testing/part-cases.ts'
import { makeSources } from '../../testing/sources.ts'
import { openSandbox, type Sandbox } from '../sandbox/sandbox.ts'

let short: string
let long: string
let sandbox: Sandbox
beforeAll(async () => {
  short = await makeSources()
  long = await makeLongSources()
  sandbox = await openSandbox({ mode: 'bubblewrap' })
}, 300_000)

const pathOf = (name: string) => join(existsSync(join(long, name)) ? long : short, name)

it.each(Object.keys(partCases) as PartCase[])('all parts of %s', (name) =>
  expectWholeInParts(sandbox, pathOf(name), name),
)

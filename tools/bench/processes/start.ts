/**
 * `pnpm bench start`: measures how long the API takes until it is ready, from its sources and as in the image: a bundle
 * whose compiled code is stored.
 */
import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { bundle } from '@reelkeep/server/bundle/bundle.ts'
import { bundledFile } from '@reelkeep/server/bundle/bundled-file.ts'
import { ApiProcess, resetDatabase, root, setUpUploads, startStack, withDatabase } from '@reelkeep/testkit'
import { alternate } from '../support/alternate.ts'
import { cpuSecondsOf } from '../support/cpu-time.ts'
import { checkGoals, ROUNDS_TO_CHECK } from '../support/goals.ts'
import { median, printTable } from '../support/table.ts'

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '7' } } })
const SECONDS_MAX = 1.5
const SOURCE = 'server/src/main/api.ts'

const env = withDatabase(await startStack(), 'bench_start')
await resetDatabase(env)
await setUpUploads(env)
using bundles = mkdtempDisposableSync(join(root, '.stack/bundles-'))
using compiled = mkdtempDisposableSync(join(tmpdir(), 'reelkeep-compiled-'))
await bundle({ entries: [SOURCE], folder: bundles.path })

const starts = {
  'from its sources': { entry: SOURCE, settings: { NODE_COMPILE_CACHE: '' } },
  'as in the image': {
    entry: relative(root, join(bundles.path, bundledFile(SOURCE))),
    settings: { NODE_COMPILE_CACHE: compiled.path },
  },
}

/** The first start, which does not count, stores the compiled code. */
const results = await alternate(Object.keys(starts) as (keyof typeof starts)[], Number(values.rounds), async (name) => {
  const { entry, settings } = starts[name]
  const start = performance.now()
  await using api = await ApiProcess.start(settings, env, entry)
  return { seconds: (performance.now() - start) / 1000, cpuSeconds: cpuSecondsOf(api.child.pid ?? 0) }
})
const rows = Object.entries(results).map(([name, rounds]) => ({
  name,
  seconds: median(rounds.map(({ seconds }) => seconds)),
  cpuSeconds: median(rounds.map(({ cpuSeconds }) => cpuSeconds)),
}))
printTable(
  rows.map(({ name, seconds, cpuSeconds }) => ({
    'start of the API': name,
    'seconds until ready': seconds.toFixed(2),
    'CPU seconds': cpuSeconds.toFixed(2),
  })),
)
const asInImage = rows.at(-1)?.seconds ?? Number.NaN
if (Number(values.rounds) >= ROUNDS_TO_CHECK)
  checkGoals([{ name: 'seconds until the API is ready, as in the image', value: asInImage, max: SECONDS_MAX }])

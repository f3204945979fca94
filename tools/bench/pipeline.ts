/**
 * `pnpm bench pipeline`: measures the cost of the pipeline beyond the cost of the DBOS queue (pipeline-rate.ts), and
 * the cost of claiming a step with growing numbers of waiting pipelines (pipeline-growth.ts) and organizations
 * (queue-polls.ts).
 */
import { parseArgs } from 'node:util'
import { newOrganizations, openPipelineFixture } from './pipeline/pipeline-fixture.ts'
import { growthGoals, growthRows, measureGrowth, oneEach } from './pipeline/pipeline-growth.ts'
import { compareRates } from './pipeline/pipeline-rate.ts'
import { generous } from './pipeline/queue-limits.ts'
import { costOfPolls } from './pipeline/queue-polls.ts'
import { checkGoals, ROUNDS_TO_CHECK } from './support/goals.ts'
import { printTable } from './support/table.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    pipelines: { type: 'string', default: '2000' },
    workers: { type: 'string', default: '1' },
    largest: { type: 'string', default: '1000000' },
    organizations: { type: 'string', default: '1,1000' },
    polled: { type: 'string', default: '10000' },
  },
})
/** Minimum rate of steps, relative to the rate of workflows of the bare queue. */
const GOAL = 0.7
/**
 * Maximum exponent of growth: 0 is constant and 1 is proportional. The exponent of very short statements varies by 0.2.
 */
const EXPONENT_MAX = 0.25
const SIZES = [1000, 10_000, 100_000, 1_000_000]
const rounds = Number(values.rounds)
const sizes = SIZES.filter((size) => size <= Number(values.largest))
const polled = [1, 100, 1000, 10_000].filter((count) => count <= Number(values.polled))
const progress = (line: string) => process.stderr.write(`${line}\n`)
const print = (line: string) => process.stdout.write(`\n${line}\n\n`)

if (rounds > 0) {
  await using fixture = await openPipelineFixture('bench_pipeline')
  print('Three steps that do nothing, compared to workflows of one step that does nothing.')
  const { rows, doneRatio } = await compareRates(fixture, {
    organizations: await newOrganizations(fixture, 8),
    pipelines: Number(values.pipelines),
    workers: Number(values.workers),
    rounds,
  })
  printTable(rows)
  print(
    `Goal: at least ${GOAL} of the rate of the bare DBOS queue; medians of ${rounds} rounds, ${values.workers} worker(s).`,
  )
  if (rounds >= ROUNDS_TO_CHECK) checkGoals([{ name: 'the ratio of steps per second', value: doneRatio, min: GOAL }])
}

for (const organizations of sizes.length > 0 ? values.organizations.split(',').map(Number) : []) {
  await using fixture = await openPipelineFixture('bench_pipeline')
  const limits = organizations === 1 ? generous : oneEach
  const waiting = { organizations: await newOrganizations(fixture, organizations), limits, sizes }
  const grown = await measureGrowth(fixture, waiting, progress)
  print(`With this many waiting pipelines of ${organizations.toLocaleString('en')} organization(s):`)
  printTable(growthRows(grown))
  if (sizes.length === SIZES.length) checkGoals(growthGoals(grown, EXPONENT_MAX))
}
print(`Goal: statements with an exponent of at most ${EXPONENT_MAX}.`)

if (polled.length > 0) {
  print('A worker queries the waiting organizations at every poll:')
  printTable(await costOfPolls(polled))
}

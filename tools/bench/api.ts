/**
 * `pnpm bench api`: measures the cost of the API beyond the cost of Postgres. The same requests go alternately to the
 * API and to a bare server that runs the same SQL (bare-server.ts). The results are ratios within one run, above all of
 * CPU time per request, which hardly depends on other load on the machine.
 */
import { parseArgs } from 'node:util'
import { newCaller } from '@reelkeep/testkit'
import { seedFolders } from './folders/seed-folders.ts'
import { openBenchService } from './support/bench-service.ts'
import { compare, startBareServer } from './support/compare.ts'
import { checkGoals, ROUNDS_TO_CHECK } from './support/goals.ts'
import { printTable } from './support/table.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '4' },
    folders: { type: 'string', default: '10000' },
  },
})
const BARE_PORT = 8497
const CONNECTIONS = 32
/** Minimum ratios of the CPU time of the bare server to that of the API. */
const GOALS = { get: 0.8, post: 0.85 }

await using service = await openBenchService('bench_api')
const { env, organizationId } = service
// An organization of its own: otherwise the API would sequence the events of the bare server too.
const ofBare = (await newCaller(service.send, env)).organizationId
for (const organization of [organizationId, ofBare])
  await seedFolders(env.DATABASE_SUPERUSER_URL, { organization, count: Number(values.folders) }, () => {})
using bare = await startBareServer('bare-server.ts', [env.DATABASE_SUPERUSER_URL, String(BARE_PORT), ofBare])

const compareWith = (request: 'GET folders/' | 'POST folders/') =>
  compare({
    ...{ service, bare: { pid: bare.pid, port: BARE_PORT }, request, ...values },
    body: { title: 'Berlin lecture #' },
    connections: CONNECTIONS,
  })

const [get, post] = [await compareWith('GET folders/'), await compareWith('POST folders/')]
printTable([get.row, post.row])
process.stdout.write(
  `\nCPU time of the server and Postgres together. Goals: ${GOALS.get} of bare for GET, ${GOALS.post} for POST; ` +
    `${CONNECTIONS} connections, medians of ${values.rounds} rounds of ${values.seconds} s.\n`,
)
if (Number(values.rounds) >= ROUNDS_TO_CHECK)
  checkGoals([
    { name: 'the CPU ratio of GET', value: get.cpuRatio, min: GOALS.get },
    { name: 'the CPU ratio of POST', value: post.cpuRatio, min: GOALS.post },
  ])

/**
 * `pnpm bench api`: the cost of the API above Postgres. The same requests go alternately to the API and to a bare
 * server that runs the same SQL (bare-server.ts). The ratios within one run count, above all CPU time per request,
 * which hardly depends on other load on the machine.
 */
import { parseArgs } from 'node:util'
import { seedFolders } from './folders/seed-folders.ts'
import { openBenchService } from './support/bench-service.ts'
import { compare, startBareServer } from './support/compare.ts'
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

await using service = await openBenchService('bench_api')
const { env, organizationId } = service
await seedFolders(env.DATABASE_SUPERUSER_URL, { organization: organizationId, count: Number(values.folders) }, () => {})
using bare = await startBareServer('bare-server.ts', [env.DATABASE_SUPERUSER_URL, String(BARE_PORT), organizationId])

const compareWith = (request: 'GET folders/' | 'POST folders/') =>
  compare({
    ...{ service, bare: { pid: bare.pid, port: BARE_PORT }, request, ...values },
    body: { title: 'Berlin lecture #' },
    connections: CONNECTIONS,
  })

printTable([await compareWith('GET folders/'), await compareWith('POST folders/')])
process.stdout.write(
  `\nCPU time of the server and Postgres together. Goals: 0.80 of bare for GET, 0.85 for POST; ` +
    `${CONNECTIONS} connections, medians of ${values.rounds} rounds of ${values.seconds} s.\n`,
)

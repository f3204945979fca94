/**
 * `pnpm bench api`: measures the cost of the API beyond the cost of Postgres. The same requests go alternately to the
 * API and to a bare server that runs the same SQL (bare-server.ts). The results are ratios within one run, above all of
 * CPU time per request, which hardly depends on other load on the machine.
 *
 * With `--against FOLDER`, the API of another checkout takes the place of the bare server. This shows what a change
 * costs.
 */
import { parseArgs } from 'node:util'
import { newCaller } from '@reelkeep/testkit'
import { seedFolders } from './folders/seed-folders.ts'
import { openBenchService } from './support/bench-service.ts'
import { compare, type Server, startBareServer } from './support/compare.ts'
import { checkGoals, ROUNDS_TO_CHECK } from './support/goals.ts'
import { startOtherVersion } from './support/other-version.ts'
import { printTable } from './support/table.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '4' },
    folders: { type: 'string', default: '10000' },
    against: { type: 'string' },
  },
})
const BARE_PORT = 8497
const CONNECTIONS = 32
/** Minimum ratios of the CPU time of the other server to that of the API. */
const GOALS = values.against === undefined ? { get: 0.85, post: 0.85 } : { get: 0.95, post: 0.95 }

await using service = await openBenchService('bench_api')
const { env, organizationId } = service
const seed = (organization: string) =>
  seedFolders(env.DATABASE_SUPERUSER_URL, { organization, count: Number(values.folders) }, () => {})
await seed(organizationId)

async function startBare(): Promise<Server & Disposable> {
  // An organization of its own: otherwise the API would sequence the events of the bare server too.
  const ofBare = (await newCaller(service.send, env)).organizationId
  await seed(ofBare)
  const bare = await startBareServer('bare-server.ts', [env.DATABASE_SUPERUSER_URL, String(BARE_PORT), ofBare])
  return { ...service, ...bare, assetsUrl: `http://127.0.0.1:${BARE_PORT}` }
}

using other = await (values.against === undefined
  ? startBare()
  : startOtherVersion(values.against, Number(values.folders)))
const otherName = values.against === undefined ? 'bare' : 'other'

const compareWith = (request: 'GET folders/' | 'POST folders/') =>
  compare({
    ...{ api: service, other, otherName, request, ...values },
    body: { title: 'Berlin lecture #' },
    connections: CONNECTIONS,
  })

const [get, post] = [await compareWith('GET folders/'), await compareWith('POST folders/')]
printTable([get.row, post.row])
process.stdout.write(
  `\nCPU time of the server and Postgres together. Goals: ${GOALS.get} of ${otherName} for GET, ${GOALS.post} for POST; ` +
    `${CONNECTIONS} connections, medians of ${values.rounds} rounds of ${values.seconds} s.\n`,
)
if (Number(values.rounds) >= ROUNDS_TO_CHECK)
  checkGoals([
    { name: 'the CPU ratio of GET', value: get.cpuRatio, min: GOALS.get },
    { name: 'the CPU ratio of POST', value: post.cpuRatio, min: GOALS.post },
  ])

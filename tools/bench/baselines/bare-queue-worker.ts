/**
 * The baseline for the pipeline: a worker for the queue of DBOS, with workflows of one step that does nothing. It makes
 * no claims and no heartbeats, and publishes and enqueues nothing. It has the same role, connections, limits and poll
 * interval as our worker.
 */
import { DBOS } from '@dbos-inc/dbos-sdk'
import pg from 'pg'
import type { QueueLimits } from '../pipeline/queue-limits.ts'
import { type BareInput, bare } from './bare-queue.ts'

const [url = '', name = '', limits = '{}'] = process.argv.slice(2)
/** Maximum number of connections of DBOS, the same as in platform/jobs/engine/engine.ts. */
const CONNECTIONS_MAX = 8

DBOS.registerWorkflow(
  async (_: BareInput) => {
    await DBOS.runStep(async () => {}, { name: bare.workflow })
  },
  { name: bare.workflow },
)
DBOS.setConfig({
  name: bare.application,
  systemDatabaseUrl: url,
  systemDatabasePool: new pg.Pool({ connectionString: url, max: CONNECTIONS_MAX }),
  executorID: name,
  applicationVersion: bare.application,
  runMigrations: false,
  useListenNotify: false,
  listenQueues: [bare.queue],
  logger: {
    info: () => {},
    debug: () => {},
    warn: () => {},
    error: (line) => process.stderr.write(`${String(line)}\n`),
  },
})
await DBOS.launch()
await DBOS.registerQueue(bare.queue, {
  ...(JSON.parse(limits) as QueueLimits),
  onConflict: 'always_update',
})
process.stdout.write('ready\n')

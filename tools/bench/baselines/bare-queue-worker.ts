/**
 * The baseline for the pipeline: the engine's own queue, with workflows of one step that does nothing. No claim, no
 * heartbeat, nothing published, nothing enqueued. Same role, connections, limits and poll interval as our own worker.
 */
import { DBOS } from '@dbos-inc/dbos-sdk'
import pg from 'pg'
import type { QueueLimits } from '../pipeline/queue-limits.ts'
import { type BareInput, bare } from './bare-queue.ts'

const [url = '', name = '', limits = '{}'] = process.argv.slice(2)
/** As in platform/jobs/engine/engine.ts. */
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

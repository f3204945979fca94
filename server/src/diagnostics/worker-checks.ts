import { queueNames } from '../kernel/queues.ts'
import type { Database } from '../platform/db/database.ts'
import { type LiveWorker, listWorkers } from '../platform/jobs/leases.store.ts'
import { type Check, type CheckOutcome, failed, ok } from './checks.ts'

/** Checks the live workers and their queues by their leases in the database. */
export const workerChecks = (prefix: string, database: Database): Check[] => [
  {
    name: `${prefix}-workers`,
    needs: `${prefix}-migrations`,
    run: async () => workersOutcome(await listWorkers(database)),
  },
  {
    name: `${prefix}-queues`,
    needs: `${prefix}-workers`,
    run: async () => queuesOutcome(await listWorkers(database)),
  },
]

const workersOutcome = (workers: readonly LiveWorker[]): CheckOutcome =>
  workers.length > 0
    ? ok(`Running: ${named(workers)}.`)
    : failed(
        'No worker has renewed its lease: nothing is processed.',
        'Start a worker: node server/src/main/worker.ts with its settings (in development: restart pnpm dev). If it exits at once, its last log line says why; in containers: docker compose logs worker.',
      )

/** Maximum number of workers listed in the message. */
const NAMED_MAX = 20

function named(workers: readonly LiveWorker[]): string {
  const names = workers.slice(0, NAMED_MAX).map(({ id }) => id)
  const more = workers.length - names.length
  return names.join(', ') + (more > 0 ? ` and ${more} more` : '')
}

/** A worker that does not report its queues may serve any. */
export function queuesOutcome(workers: readonly LiveWorker[]): CheckOutcome {
  const isServed = (queue: string) => workers.some(({ queues }) => queues === null || queues.includes(queue))
  const unserved = queueNames.filter((queue) => !isServed(queue))
  if (unserved.length === 0) return ok('Every queue is served by a worker.')
  return failed(
    `No worker serves ${unserved.join(', ')}: jobs in these queues wait forever.`,
    'Add these queues to WORKER_QUEUES of a worker, or start a worker without that setting.',
  )
}

import type { Database } from '../db/database.ts'
import { type LivingWorker, listWorkers } from '../jobs/polling.store.ts'
import { queueNames } from '../jobs/queues.ts'
import { type Examination, fault, fine, type Verdict } from './finding.ts'

/** Who works, as the database knows it. */
export const presenceExaminations = (who: string, database: Database): Examination[] => [
  {
    name: `${who}-workers`,
    needs: `${who}-migrations`,
    look: async () => judgePresence(await listWorkers(database)),
  },
  {
    name: `${who}-queues`,
    needs: `${who}-workers`,
    look: async () => judgeQueues(await listWorkers(database)),
  },
]

const judgePresence = (workers: readonly LivingWorker[]): Verdict =>
  workers.length > 0
    ? fine(`At work: ${named(workers)}.`)
    : fault(
        'No worker has given a sign of life in the last ten seconds: nothing is processed.',
        'Start one: node server/src/main/worker.ts with a worker’s settings (in development: restart pnpm dev). If it ends at once, its last line says why.',
      )

/** A sentence has room for so many. */
const NAMED_MAX = 20

function named(workers: readonly LivingWorker[]): string {
  const names = workers.slice(0, NAMED_MAX).map(({ id }) => id)
  const more = workers.length - names.length
  return names.join(', ') + (more > 0 ? ` and ${more} more` : '')
}

/** A worker that does not tell may take any. */
export function judgeQueues(workers: readonly LivingWorker[]): Verdict {
  const isTaken = (queue: string) =>
    workers.some(({ queues }) => queues === null || queues.includes(queue))
  const orphans = queueNames.filter((queue) => !isTaken(queue))
  if (orphans.length === 0) return fine('Every queue is taken up by some worker.')
  return fault(
    `No worker takes up ${orphans.join(', ')}: what waits there waits for ever.`,
    'Add it to WORKER_QUEUES of a worker, or start one without that setting.',
  )
}

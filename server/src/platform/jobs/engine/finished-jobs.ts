/** Deletes old jobs, and retries those that failed permanently. */
import { DBOS, DBOSClient } from '@dbos-inc/dbos-sdk'
import type { Database } from '../../db/database.ts'
import { isSuspended } from '../../db/suspension.ts'
import { openLogger } from '../../observability/logger.ts'
import { enqueueJob } from '../enqueue.ts'
import { engineLogger } from './engine.ts'
import { markRetried, permanentFailures, readClock, selectExpired } from './finished-jobs.store.ts'
import { APPLICATION_NAME, type Payload } from './workflow.ts'

const DELETED_PER_STATEMENT_MAX = 500
const STATEMENTS_PER_RUN_MAX = 100

/** Deletes expired jobs. Repeats until none is left: deleting an attempt makes the one before it deletable. */
export async function deleteFinishedJobs(database: Database, signal: AbortSignal): Promise<void> {
  for (let statement = 0; statement < STATEMENTS_PER_RUN_MAX && !signal.aborted; statement++) {
    const ids = await selectExpired(database, DELETED_PER_STATEMENT_MAX)
    if (ids.length === 0) return
    await DBOS.deleteWorkflows(ids)
  }
}

/** Number of jobs retried per batch, and maximum number of batches. Run the command again for more. */
const BATCH = 100
const BATCHES_MAX = 1000

type FailedJob = Awaited<ReturnType<DBOSClient['listWorkflows']>>[number]

/**
 * Enqueues permanently failed jobs again, with all their attempts: all jobs, or those of one name. Runs as the owner of
 * the database. Returns the number of jobs. A job that fails again during the run is not retried twice, and jobs of
 * suspended organizations stay as they are.
 */
export async function retryFailedJobs(database: Database, ownerUrl: string, jobName?: string): Promise<number> {
  const client = await DBOSClient.create({
    systemDatabaseUrl: ownerUrl,
    systemDatabasePoolSize: 1,
    applicationName: APPLICATION_NAME,
    logger: engineLogger(openLogger('silent')),
  })
  try {
    const completedBefore = await readClock(database)
    let [retried, skipped] = [0, 0]
    for (let batch = 0; batch < BATCHES_MAX; batch++) {
      const failed = await client.listWorkflows({
        status: [...permanentFailures],
        ...(jobName !== undefined && { workflowName: jobName }),
        ...(completedBefore !== undefined && { completedBefore }),
        limit: BATCH,
        offset: skipped,
        loadOutput: false,
      })
      for (const workflow of failed) {
        const outcome = await retryJob(database, workflow)
        if (outcome === 'retried') retried += 1
        if (outcome === 'suspended') skipped += 1
      }
      if (failed.length < BATCH) break
    }
    return retried
  } finally {
    await client.destroy()
  }
}

/** `conflict`: a concurrent call has already retried the job. */
type Outcome = 'retried' | 'conflict' | 'suspended'

async function retryJob(database: Database, failed: FailedJob): Promise<Outcome> {
  const [payload] = failed.input as [Payload]
  const queue = (failed.queueName as Payload['queue']) ?? payload.queue
  if (queue === undefined) throw new Error(`The queue of job ${failed.workflowID} is unknown`)
  const db = database.forOrganization(payload.organizationId)
  try {
    return await db.transaction(async (tx) => {
      if (!(await markRetried(tx, failed.workflowID))) return 'conflict'
      await enqueueJob(tx, { name: failed.workflowName, queue }, { input: payload.input })
      return 'retried'
    })
  } catch (error) {
    if (isSuspended(error)) return 'suspended'
    throw error
  }
}

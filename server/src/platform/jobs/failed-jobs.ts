import { DBOSClient } from '@dbos-inc/dbos-sdk'
import type { Database } from '../db/database.ts'
import { isSuspended } from '../db/suspension.ts'
import { openLogger } from '../observability/logger.ts'
import { APPLICATION_NAME, engineLogger, type Payload } from './engine/engine.ts'
import { failedForGood, readClock, takeBackFailure } from './engine/finished-jobs.store.ts'
import { enqueueJob } from './enqueue.ts'

/** Batch size and maximum number of batches. Run the command again for more. */
const BATCH = 100
const BATCHES_MAX = 1000

type Failed = Awaited<ReturnType<DBOSClient['listWorkflows']>>[number]

/**
 * Enqueues permanently failed jobs again, with all their attempts: all of them, or those of one name. Runs as the
 * owner of the database. Returns their number. A job that fails again during this is not repeated twice, and jobs
 * of suspended organizations stay as they are.
 */
export async function repeatFailedJobs(
  database: Database,
  ownerUrl: string,
  jobName?: string,
): Promise<number> {
  const client = await DBOSClient.create({
    systemDatabaseUrl: ownerUrl,
    systemDatabasePoolSize: 1,
    applicationName: APPLICATION_NAME,
    logger: engineLogger(openLogger('silent')),
  })
  try {
    const completedBefore = await readClock(database)
    let [repeated, passedOver] = [0, 0]
    for (let batch = 0; batch < BATCHES_MAX; batch++) {
      const failed = await client.listWorkflows({
        status: [...failedForGood],
        ...(jobName !== undefined && { workflowName: jobName }),
        ...(completedBefore !== undefined && { completedBefore }),
        limit: BATCH,
        offset: passedOver,
        loadOutput: false,
      })
      for (const workflow of failed) {
        const outcome = await repeatOne(database, workflow)
        if (outcome === 'repeated') repeated += 1
        if (outcome === 'held') passedOver += 1
      }
      if (failed.length < BATCH) break
    }
    return repeated
  } finally {
    await client.destroy()
  }
}

/** `taken`: a concurrent call was first. */
type Outcome = 'repeated' | 'taken' | 'held'

async function repeatOne(database: Database, failed: Failed): Promise<Outcome> {
  const [payload] = failed.input as [Payload]
  const queue = (failed.queueName as Payload['queue']) ?? payload.queue
  if (queue === undefined) throw new Error(`The queue of job ${failed.workflowID} is unknown`)
  const db = database.forOrganization(payload.organizationId)
  try {
    return await db.transaction(async (tx) => {
      if (!(await takeBackFailure(tx, failed.workflowID))) return 'taken'
      await enqueueJob(tx, { name: failed.workflowName, queue }, payload.input)
      return 'repeated'
    })
  } catch (error) {
    if (isSuspended(error)) return 'held'
    throw error
  }
}

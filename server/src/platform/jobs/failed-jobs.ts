import { DBOSClient } from '@dbos-inc/dbos-sdk'
import type { Database } from '../db/database.ts'
import { isHeld } from '../db/held.ts'
import { openLogger } from '../observability/logger.ts'
import { APPLICATION_NAME, engineLogger, type Payload } from './engine.ts'
import { failedForGood, readClock, takeBackFailure } from './finished-jobs.store.ts'
import { promiseJob } from './promise.ts'

/** Read at a time, and how often: whoever has more of them asks again. */
const BATCH = 100
const BATCHES_MAX = 1000

type Failed = Awaited<ReturnType<DBOSClient['listWorkflows']>>[number]

/**
 * Promises jobs that failed for good once more, with all their attempts; all of them, or those of
 * one name. As the owner of the database. Answers how many. One that fails again meanwhile is not
 * repeated again, and one whose organization is held stays as it is.
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
      for (const one of failed) {
        const outcome = await repeatOne(database, one)
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

/** `taken`: somebody else was first. */
type Outcome = 'repeated' | 'taken' | 'held'

async function repeatOne(database: Database, failed: Failed): Promise<Outcome> {
  const [payload] = failed.input as [Payload]
  const queue = (failed.queueName as Payload['queue']) ?? payload.queue
  if (queue === undefined) throw new Error(`Nobody knows the queue of ${failed.workflowID}`)
  const db = database.forOrganization(payload.organizationId)
  try {
    return await db.transaction(async (tx) => {
      if (!(await takeBackFailure(tx, failed.workflowID))) return 'taken'
      await promiseJob(tx, { name: failed.workflowName, queue }, payload.input)
      return 'repeated'
    })
  } catch (error) {
    if (isHeld(error)) return 'held'
    throw error
  }
}

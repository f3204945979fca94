/**
 * Releases jobs that the engine has assigned to this worker and that this worker does not run: Postgres became
 * unavailable after recording the claim and before the worker received it, or while the next attempt was being
 * enqueued; or only newer workers have a handler for the job. Since this worker is alive, no other worker would release
 * these jobs.
 */
import type { Database } from '../../db/database.ts'
import type { Logger } from '../../observability/logger.ts'
import { type Intervals, lostJobCheckSeconds } from '../intervals.ts'
import { repeat } from '../repeat.ts'
import { releaseLostJobs, selectClaimedJobs } from './claimed-jobs.store.ts'

/** A job of this worker. An object instead of the id, because one job may run twice in a worker after a reclaim. */
export type ClaimedJob = { readonly id: string }

type Options = {
  readonly workerId: string
  readonly database: Database
  readonly logger: Logger
  readonly claimed: ReadonlySet<ClaimedJob>
  /** Names of the jobs that this worker can run. */
  readonly knownNames: readonly string[]
  readonly intervals: Intervals
}

/**
 * Checks for lost jobs until disposed. A job that has just started or ended is briefly not in `claimed`; a job that is
 * missing at two checks in a row is lost.
 */
export function watchLostJobs(options: Options): AsyncDisposable {
  const { workerId, database, logger, claimed } = options
  const knownNames = [...options.knownNames]
  let suspects: ReadonlySet<string> = new Set()
  const check = async () => {
    const assigned = await selectClaimedJobs(database, workerId)
    const running = new Set([...claimed].map(({ id }) => id))
    const notRunning = assigned.filter((id) => !running.has(id))
    const lost = notRunning.filter((id) => suspects.has(id))
    suspects = new Set(notRunning)
    if (lost.length === 0) return
    await releaseLostJobs(database, workerId, { ids: lost, knownNames })
    for (const id of lost) logger.warn({ job_id: id }, 'lost job released')
  }
  return repeat(lostJobCheckSeconds(options.intervals), check, (err) =>
    logger.warn({ err }, 'failed to check for lost jobs'),
  )
}

/**
 * Jobs that the engine gave to this worker, and that it does not work on: Postgres went away after
 * it had noted the claim and before the worker heard of it, or while the worker followed up on it;
 * or only newer workers know the job. This one lives, so nobody else would ever give them back.
 */
import type { Database } from '../db/database.ts'
import type { Logger } from '../observability/logger.ts'
import { returnOwnJobs, selectOwnJobs } from './leases.store.ts'
import { repeat } from './repeat.ts'

/**
 * A job that has just begun or ended is for a moment not in hand; one that is not at two looks in a
 * row has strayed.
 */
const LOOK_SECONDS = 4

export type JobInHand = { readonly id: string }

type Options = {
  readonly workerId: string
  readonly database: Database
  readonly logger: Logger
  readonly inHand: ReadonlySet<JobInHand>
  /** Of the jobs that this worker can do. */
  readonly knownNames: readonly string[]
}

/** Looks for strays until disposed of. */
export function watchStrays(options: Options): AsyncDisposable {
  const { workerId, database, logger, inHand } = options
  const knownNames = [...options.knownNames]
  let suspects: ReadonlySet<string> = new Set()
  const look = async () => {
    const ids = await selectOwnJobs(database, workerId)
    const known = new Set([...inHand].map(({ id }) => id))
    const strays = ids.filter((id) => !known.has(id))
    const strayed = strays.filter((id) => suspects.has(id))
    suspects = new Set(strays)
    if (strayed.length === 0) return
    await returnOwnJobs(database, workerId, { ids: strayed, knownNames })
    for (const id of strayed) logger.warn({ job_id: id }, 'a job went astray; it is given back')
  }
  return repeat(LOOK_SECONDS, look, (err) =>
    logger.warn({ err }, 'could not look for jobs that went astray'),
  )
}

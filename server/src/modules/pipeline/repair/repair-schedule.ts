/**
 * Starts the repairs of damaged files. Organizations take turns, one attempt's files at a time, so that one with much
 * damage does not delay the others. Files are restored from their copies here. Jobs that encode files again are
 * enqueued a few at a time, however many files are damaged: they compete with uploads for the workers.
 */
import pMap from 'p-map'
import type { OrganizationId } from '../../../kernel/ids.ts'
import type { Database, OrganizationDb } from '../../../platform/db/database.ts'
import { isSuspended } from '../../../platform/db/suspension.ts'
import { enqueueJob } from '../../../platform/jobs/enqueue.ts'
import type { Logger } from '../../../platform/observability/logger.ts'
import {
  claimRepair,
  countRepairJobs,
  findPublished,
  organizationsToRepair,
  type PublishedFiles,
  recordRepairFailure,
  recordRepairJob,
} from '../../published-files/published-files.ts'
import type { PipelineDeps } from '../attempt.ts'
import { REPAIR_SECONDS_MAX, repairFiles } from './repair-job.ts'
import { restore } from './restore.ts'

/** Maximum number of jobs that encode files again, waiting ones included. */
const JOBS_MAX = 2
/** Files that are restored concurrently, each of another organization. */
const RESTORED_AT_ONCE = 4
/** Time limit for restoring the files of one attempt: about a minute of video in all renditions. */
const RESTORE_SECONDS_MAX = 300
/** When files are tried again of which there is no copy, while enough jobs exist. */
const WAIT_SECONDS = 600
/** How many of them are tried per run: it costs a few requests to storage to find that there is no copy. */
const WAITING_MAX = 20

type RepairDeps = Pick<PipelineDeps, 'media' | 'copies'> & {
  readonly signal: AbortSignal
  readonly logger: Logger
  /** Time limit of each repair. */
  readonly secondsMax?: number
}

/** The number of jobs that may still be enqueued, and of files that may still be tried when there is none. */
type Free = { jobs: number; waiting: number }

export async function startRepairs(database: Database, deps: RepairDeps): Promise<void> {
  const free: Free = { jobs: JOBS_MAX - (await countRepairJobs(database)), waiting: WAITING_MAX }
  let after = ''
  while (!deps.signal.aborted) {
    // Without copies, only jobs can repair files.
    if (free.jobs <= 0 && (!deps.copies || free.waiting <= 0)) return
    const ids = await organizationsToRepair(database, after, RESTORED_AT_ONCE)
    const claimed = await pMap(ids, (id) => repairNext(database, id, { ...deps, free }))
    if (!claimed.includes(true) && after === '') return
    after = ids.length < RESTORED_AT_ONCE ? '' : (ids.at(-1) ?? '')
  }
}

/** Returns false if nothing was claimed. Never throws: the failure of one repair must not end the others. */
async function repairNext(database: Database, id: OrganizationId, deps: RepairDeps & { free: Free }): Promise<boolean> {
  const db = database.forOrganization(id)
  const { signal, logger, secondsMax = RESTORE_SECONDS_MAX } = deps
  const claimed = await claimRepair(db, WAIT_SECONDS).catch((err: unknown) => {
    if (!isSuspended(err)) logger.warn({ err, organization_id: id }, 'failed to claim a repair')
  })
  if (!claimed) return false
  try {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(secondsMax * 1000)])
    await repairOne(db, claimed, { ...deps, signal: limited })
  } catch (err) {
    if (signal.aborted || isSuspended(err)) return true
    logger.error({ err, asset_id: claimed.assetId, prefix: claimed.prefix }, 'failed to repair damaged files')
    await recordRepairFailure(db, { ...claimed, repairId: null }).catch(() => undefined)
  }
  return true
}

type Claimed = Pick<PublishedFiles, 'assetId' | 'prefix'>

async function repairOne(
  db: OrganizationDb,
  { assetId, prefix }: Claimed,
  { signal, logger, free, ...deps }: RepairDeps & { free: Free },
): Promise<void> {
  const files = await findPublished(db, assetId, prefix)
  if (!files) return
  const damaged = await restore(deps, db, files, signal)
  if (damaged.length === 0) {
    logger.info({ asset_id: assetId, prefix, files: files.damaged.length }, 'repaired damaged files')
    return
  }
  if (files.step === null) {
    throw new Error(`${prefix} is damaged, and there is no copy of it. The client has to add the file again.`)
  }
  if (free.jobs <= 0) {
    free.waiting -= 1
    return
  }
  free.jobs -= 1
  const repairId = crypto.randomUUID()
  await db.transaction(async (tx) => {
    await recordRepairJob(tx, { assetId, prefix, repairId, seconds: REPAIR_SECONDS_MAX })
    await enqueueJob(tx, repairFiles, { input: { assetId, prefix, repairId } })
  })
}

/**
 * Reads published files and compares them with their checksums, the longest unchecked first. Damaged files are not
 * served any more, and a job repairs them.
 */
import pMap from 'p-map'
import { repairPublished } from '../../modules/pipeline/pipeline.ts'
import {
  oldestChecked,
  organizationsToCheck,
  type PublishedFiles,
  postponeCheck,
  readIntact,
  recordCheck,
} from '../../modules/published-files/published-files.ts'
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import type { MediaBucket } from '../../platform/storage/media-bucket.ts'
import { unlessSuspended } from '../local-organizations.ts'
import { FailureLimit } from './failure-limit.ts'

/** Files read concurrently. They are segments of a few megabytes at most. */
const FILES_AT_ONCE = 4
/** Rows per query; a row has the files of one attempt. */
const ROWS_PER_QUERY = 10
/** Organizations per round. */
const ORGANIZATIONS_PER_ROUND = 100

export type ScrubOptions = {
  /** Files that were checked since are skipped. */
  readonly before: Date
  /** No further files are read after this many bytes. */
  readonly bytesMax: number
  readonly signal: AbortSignal
  readonly onDamaged: (files: PublishedFiles, damaged: readonly string[]) => void
}

export type Scrubbed = { readonly files: number; readonly bytes: number; readonly damaged: number }

type Context = ScrubOptions & { readonly media: MediaBucket; readonly total: Total; readonly failures: FailureLimit }
type Total = { files: number; bytes: number; damaged: number }

export async function scrub(database: Database, media: MediaBucket, options: ScrubOptions): Promise<Scrubbed> {
  const failures = new FailureLimit()
  const context = { ...options, media, failures, total: { files: 0, bytes: 0, damaged: 0 } }
  for (;;) {
    const organizations = await organizationsToCheck(database, options.before, ORGANIZATIONS_PER_ROUND)
    let hasProgress = false
    for (const id of organizations) {
      if (isOver(context)) break
      const checked = await unlessSuspended(checkOrganization(context, database.forOrganization(id)), 0)
      hasProgress ||= checked > 0
    }
    // Without progress, the remaining organizations were suspended since the query.
    if (!hasProgress || isOver(context)) break
  }
  failures.throwFirst()
  return context.total
}

const isOver = ({ total, bytesMax, signal }: Context) => total.bytes >= bytesMax || signal.aborted

/** Returns how many rows were checked. */
async function checkOrganization(context: Context, db: OrganizationDb): Promise<number> {
  let checked = 0
  while (!isOver(context)) {
    const rows = await oldestChecked(db, context.before, ROWS_PER_QUERY)
    for (const row of rows) {
      if (isOver(context)) break
      const isChecked = await context.failures.run(() => checkRow(context, db, row))
      // A file that cannot be read must not stop the check of all others.
      if (!isChecked) await postponeCheck(db, row.assetId, { prefix: row.prefix, before: context.before })
      checked += 1
    }
    if (rows.length < ROWS_PER_QUERY) break
  }
  return checked
}

async function checkRow({ media, total, before, signal, onDamaged }: Context, db: OrganizationDb, row: PublishedFiles) {
  const { assetId, prefix, files } = row
  const damaged: string[] = []
  await pMap(
    files,
    async (file) => {
      if (!(await readIntact(media, prefix, file, signal))) damaged.push(file.name)
      total.bytes += file.bytes
    },
    { concurrency: FILES_AT_ONCE, signal },
  )
  total.files += files.length
  const isPublished = await db.transaction(async (tx) => {
    const isStillPublished = await recordCheck(tx, { assetId, prefix, damaged, since: before })
    if (isStillPublished && damaged.length > 0) await repairPublished(tx, { assetId, prefix })
    return isStillPublished
  })
  if (!isPublished || damaged.length === 0) return
  total.damaged += damaged.length
  onDamaged(row, damaged)
}

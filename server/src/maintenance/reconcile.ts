/** Compares database and buckets in both directions and repairs differences if requested. */
import { processAgain } from '../modules/pipeline/pipeline.ts'
import { countElsewhere } from '../modules/suspension/suspension.ts'
import type { Database } from '../platform/db/database.ts'
import type { Buckets } from './buckets.ts'
import { unlessSuspended } from './local-organizations.ts'
import { findMissing, type MissingOfAsset, type Sources } from './missing.ts'
import { type DeletedOrphans, deleteOrphans } from './orphans/delete-orphans.ts'
import { findOrphans, isOfAsset, type Orphan } from './orphans/orphans.ts'

export type ReconcileOptions = {
  /** Which version of a source file is accepted: the linked one, or any version in a copy. */
  readonly sources: Sources
  /** Whether to process assets with missing objects again where possible. */
  readonly isRetrying: boolean
  /**
   * Whether to delete orphans that are old enough. If more than a tenth of all prefixes are orphans, they are deleted
   * only if `orphansMax` allows that many.
   */
  readonly deletesOrphans: boolean
  readonly orphansMax: number | undefined
  readonly now: Date
}

export type Found<Row> = {
  readonly count: number
  /** The first missing objects or orphans, up to the limit of the report. */
  readonly rows: readonly Row[]
}

/** Maximum entries listed in the report. */
const LISTED_MAX = 10_000

export type Reconciled = {
  readonly missing: Found<MissingOfAsset>
  readonly orphans: Found<Orphan>
  readonly retried: number
  readonly deletion: DeletedOrphans
  /** Skipped organizations, which another cell hosts or which are being migrated here. */
  readonly elsewhere: number
  readonly isConsistent: boolean
}

export async function reconcile(database: Database, buckets: Buckets, options: ReconcileOptions): Promise<Reconciled> {
  const retried = new Set<string>()
  const missing = await gather(findMissing(database, buckets, options.sources), async (object) => {
    if (options.isRetrying && object.remedy === 'retry') await retry(database, object, retried)
  })
  let [checked, ofAssets] = [0, 0]
  const orphans = await gather(
    findOrphans(database, buckets, (prefixes) => (checked += prefixes)),
    async (orphan) => {
      if (isOfAsset(orphan)) ofAssets += 1
    },
  )
  const found = { rows: orphans.rows, ofAssets, checked }
  const kind = options.sources === 'copied' ? 'backup' : 'live'
  const deletion = options.deletesOrphans
    ? await deleteOrphans({ database, buckets }, found, { ...options, kind })
    : { deleted: 0, refusal: undefined }
  // Missing objects of assets that are processed again count too, because they do not exist yet.
  const isConsistent = missing.count === 0 && orphans.count === deletion.deleted
  const elsewhere = await countElsewhere(database)
  return { missing, orphans, retried: retried.size, deletion, elsewhere, isConsistent }
}

/** Several kinds of objects of one video may be missing; it is processed again once. */
async function retry(
  database: Database,
  { organizationId, assetId }: MissingOfAsset,
  retried: Set<string>,
): Promise<void> {
  if (retried.has(assetId)) return
  const work = processAgain(database.forOrganization(organizationId), assetId)
  if (await unlessSuspended(work, false)) retried.add(assetId)
}

async function gather<Row>(found: AsyncIterable<Row>, handle: (row: Row) => Promise<void>): Promise<Found<Row>> {
  const rows: Row[] = []
  let count = 0
  for await (const row of found) {
    count += 1
    if (rows.length < LISTED_MAX) rows.push(row)
    await handle(row)
  }
  return { count, rows }
}

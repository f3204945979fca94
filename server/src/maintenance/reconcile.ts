/** Compares database and buckets in both directions and repairs differences if requested. */
import { processAgain } from '../modules/pipeline/pipeline.ts'
import type { Database } from '../platform/db/database.ts'
import type { Buckets } from './buckets.ts'
import { countElsewhere, unlessHeld } from './local-organizations.ts'
import { findMissing, type MissingOfAsset, type Sources } from './missing.ts'
import { type Freed, freeOrphans } from './orphans/delete-orphans.ts'
import { findOrphans, isOfAsset, type Orphan } from './orphans/orphans.ts'

export type ReconcileWish = {
  /** Which version of a source file is accepted: the pinned one, or in a copy any. */
  readonly sources: Sources
  /** Processes assets again where possible. */
  readonly isRetrying: boolean
  /** Deletes orphans that are old enough; if there are many, only up to the given limit. */
  readonly isFreeing: boolean
  readonly orphansMax: number | undefined
  readonly now: Date
}

export type Found<Row> = {
  readonly count: number
  /** The first ones. */
  readonly rows: readonly Row[]
}

/** Maximum entries listed in the report. */
const NAMED_MAX = 10_000

export type Reconciled = {
  readonly missing: Found<MissingOfAsset>
  readonly orphans: Found<Orphan>
  readonly retried: number
  readonly freed: Freed
  /** Skipped organizations, which another cell hosts or which are being migrated here. */
  readonly elsewhere: number
  readonly doAgree: boolean
}

export async function reconcile(
  database: Database,
  buckets: Buckets,
  options: ReconcileWish,
): Promise<Reconciled> {
  const retried = new Set<string>()
  const missing = await gather(findMissing(database, buckets, options.sources), async (object) => {
    if (options.isRetrying && object.remedy === 'retry') await retry(database, object, retried)
  })
  let [seen, ofAssets] = [0, 0]
  const orphans = await gather(
    findOrphans(database, buckets, (places) => (seen += places)),
    async (orphan) => {
      if (isOfAsset(orphan)) ofAssets += 1
    },
  )
  const found = { rows: orphans.rows, ofAssets, seen }
  const kind = options.sources === 'copied' ? 'backup' : 'live'
  const freed = options.isFreeing
    ? await freeOrphans(database, buckets, found, { ...options, kind })
    : { freed: 0, refusal: undefined }
  // Objects that are processed again do not exist yet.
  const doAgree = missing.count === 0 && orphans.count === freed.freed
  const elsewhere = await countElsewhere(database)
  return { missing, orphans, retried: retried.size, freed, elsewhere, doAgree }
}

/** Several kinds of objects of one video may be missing; it is processed again once. */
async function retry(
  database: Database,
  { organizationId, assetId }: MissingOfAsset,
  retried: Set<string>,
): Promise<void> {
  if (retried.has(assetId)) return
  const retrying = processAgain(database.forOrganization(organizationId), assetId)
  if (await unlessHeld(retrying, false)) retried.add(assetId)
}

async function gather<Row>(
  found: AsyncIterable<Row>,
  handle: (row: Row) => Promise<void>,
): Promise<Found<Row>> {
  const rows: Row[] = []
  let count = 0
  for await (const row of found) {
    count += 1
    if (rows.length < NAMED_MAX) rows.push(row)
    await handle(row)
  }
  return { count, rows }
}

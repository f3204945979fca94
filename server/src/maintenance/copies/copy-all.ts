/** Copies all stored objects of all organizations from one pair of buckets to another. Existing copies are skipped. */
import { setTimeout as sleep } from 'node:timers/promises'
import { listPublished } from '../../modules/published-files/published-files.ts'
import { countElsewhere } from '../../modules/suspension/suspension.ts'
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import type { PutResult } from '../../platform/storage/media-bucket.ts'
import { forEachConcurrently } from '../for-each-concurrently.ts'
import { isLocal, localOrganizations } from '../local-organizations.ts'
import { listStoredItems, type StoredItem } from '../stored-objects.ts'
import { type Copied, type CopyContext, copyStoredItem, nothing, sum } from './copy-object.ts'

export type CopyProgress = {
  readonly assets: number
  readonly objects: number
  readonly bytes: number
  readonly objectsKept: number
  /** Files that rows refer to and that do not exist or are damaged. */
  readonly missing: readonly ObjectProblem[]
  /** Objects that could not be copied after several attempts. */
  readonly failed: readonly ObjectProblem[]
}

export type CopyReport = CopyProgress & {
  /** Skipped organizations, which another cell hosts or which are being migrated here. */
  readonly elsewhere: number
}

export type ObjectProblem = {
  readonly organization: string
  readonly asset: string
  /** Key of the missing or damaged object, or the error message. */
  readonly why: string
}

export type CopyOptions = {
  readonly signal: AbortSignal
  /** Called periodically with the progress. */
  readonly report: (progress: CopyProgress) => void
}

/** Items copied concurrently. Each needs memory for a part of a file or a few segments. */
const ITEMS_AT_ONCE = 4
const ATTEMPTS_MAX = 3
const PAUSE_SECONDS = 2
const REPORT_EVERY_SECONDS = 10
/** Maximum entries listed in the report. */
const LISTED_MAX = 10_000

export async function copyAllObjects(
  database: Database,
  buckets: Pick<CopyContext, 'from' | 'to'>,
  { signal, report }: CopyOptions,
): Promise<CopyReport> {
  const tally = new Tally()
  const reporting = setInterval(() => report(tally.progress()), REPORT_EVERY_SECONDS * 1000)
  try {
    for await (const { db } of localOrganizations(database)) {
      await copyOrganization(db, { ...buckets, signal }, tally)
    }
  } finally {
    clearInterval(reporting)
  }
  return { ...tally.progress(), elsewhere: await countElsewhere(database) }
}

async function copyOrganization(db: OrganizationDb, context: CopyContext, tally: Tally): Promise<void> {
  const copy = async (item: StoredItem) => tally.add(db, item, await copyWithRetries(db, context, item))
  await forEachConcurrently(listStoredItems(db), { concurrency: ITEMS_AT_ONCE, signal: context.signal }, copy)
}

/** Copies an item with retries. Returns what was copied, or the error. */
async function copyWithRetries(db: OrganizationDb, context: CopyContext, item: StoredItem): Promise<Copied | Error> {
  const { signal } = context
  for (let attempt = 1; ; attempt++) {
    try {
      const published = item.bucket === 'media' ? await checksumsOf(db, item) : undefined
      const copied = await copyStoredItem({ ...context, ...(published && { published }) }, item)
      return copied.missing.length > 0 && !(await isStillReferenced(db, item)) ? nothing : copied
    } catch (error) {
      signal.throwIfAborted()
      if (attempt === ATTEMPTS_MAX) return error as Error
      await sleep(PAUSE_SECONDS * 1000, undefined, { signal })
    }
  }
}

async function checksumsOf(db: OrganizationDb, { assetId }: StoredItem): Promise<Map<string, PutResult>> {
  const rows = await listPublished(db, assetId)
  return new Map(rows.flatMap(({ prefix, files }) => files.map((file) => [`${prefix}${file.name}`, file])))
}

/** Whether rows still refer to the item: objects deleted or migrated since the listing are not missing. */
async function isStillReferenced(db: OrganizationDb, item: StoredItem): Promise<boolean> {
  if (!(await isLocal(db))) return false
  const current = await Array.fromAsync(listStoredItems(db, [item.assetId]))
  return current.some(({ bucket }) => bucket === item.bucket)
}

class Tally {
  #copied = nothing
  #assets = 0
  readonly #missing: ObjectProblem[] = []
  readonly #failed: ObjectProblem[] = []

  add(db: OrganizationDb, { bucket, assetId }: StoredItem, outcome: Copied | Error): void {
    // Counts each asset once, because it has exactly one item in the media bucket.
    if (bucket === 'media') this.#assets += 1
    const asset = { organization: db.organizationId, asset: assetId }
    if (outcome instanceof Error) {
      if (this.#failed.length < LISTED_MAX) this.#failed.push({ ...asset, why: outcome.message })
      return
    }
    this.#copied = sum(this.#copied, { ...outcome, missing: [] })
    for (const key of outcome.missing) {
      if (this.#missing.length < LISTED_MAX) this.#missing.push({ ...asset, why: key })
    }
  }

  progress(): CopyProgress {
    const { objects, bytes, objectsKept } = this.#copied
    const lists = { missing: [...this.#missing], failed: [...this.#failed] }
    return { assets: this.#assets, objects, bytes, objectsKept, ...lists }
  }
}

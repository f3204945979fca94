/**
 * Copies all stored objects of all organizations from one pair of buckets to another. Existing copies are skipped.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import type { Buckets } from '../buckets.ts'
import { forEachConcurrently } from '../for-each-concurrently.ts'
import { countElsewhere, eachHere, isHere } from '../local-organizations.ts'
import { type Holding, listHoldings } from '../stored-objects.ts'
import { type Copied, copyHolding, nothing, sum } from './copy-object.ts'

export type Pass = {
  readonly assets: number
  readonly objects: number
  readonly bytes: number
  readonly objectsKept: number
  /** Files that rows refer to and that do not exist. */
  readonly missing: readonly Missed[]
  /** Objects that could not be copied after several attempts. */
  readonly failed: readonly Missed[]
}

export type WholePass = Pass & {
  /** Skipped organizations, which another cell hosts or which are being migrated here. */
  readonly elsewhere: number
}

export type Missed = {
  readonly organization: string
  readonly asset: string
  /** The missing object, or the error. */
  readonly why: string
}

export type PassOptions = {
  readonly signal: AbortSignal
  /** Called periodically with the progress. */
  readonly report: (pass: Pass) => void
}

/** Each needs memory for a part of a file or a few segments. */
const HOLDINGS_AT_ONCE = 4
const TRIES_MAX = 3
const PAUSE_SECONDS = 2
const REPORT_EVERY_SECONDS = 10
/** Maximum entries listed in the report. */
const NAMED_MAX = 10_000

type Way = { readonly from: Buckets; readonly to: Buckets }

export async function copyEverything(
  database: Database,
  way: Way,
  { signal, report }: PassOptions,
): Promise<WholePass> {
  const tally = new Tally()
  const reporting = setInterval(() => report(tally.pass()), REPORT_EVERY_SECONDS * 1000)
  try {
    for await (const { db } of eachHere(database)) {
      await copyOrganization(db, way, tally, signal)
    }
  } finally {
    clearInterval(reporting)
  }
  return { ...tally.pass(), elsewhere: await countElsewhere(database) }
}

async function copyOrganization(
  db: OrganizationDb,
  way: Way,
  tally: Tally,
  signal: AbortSignal,
): Promise<void> {
  const copy = async (holding: Holding) =>
    tally.add(db, holding, await copyPatiently(db, way, holding, signal))
  await forEachConcurrently(listHoldings(db), { concurrency: HOLDINGS_AT_ONCE, signal }, copy)
}

/** Copies with retries. Returns what was copied, or the error. */
async function copyPatiently(
  db: OrganizationDb,
  { from, to }: Way,
  holding: Holding,
  signal: AbortSignal,
): Promise<Copied | Error> {
  for (let number = 1; ; number++) {
    try {
      const copied = await copyHolding(from, to, holding, signal)
      return copied.missing.length > 0 && !(await isMissed(db, holding)) ? nothing : copied
    } catch (error) {
      signal.throwIfAborted()
      if (number === TRIES_MAX) return error as Error
      await sleep(PAUSE_SECONDS * 1000, undefined, { signal })
    }
  }
}

/** Objects that were deleted or migrated since the listing are not missing. */
async function isMissed(db: OrganizationDb, holding: Holding): Promise<boolean> {
  if (!(await isHere(db))) return false
  const now = await Array.fromAsync(listHoldings(db, [holding.assetId]))
  return now.some(({ bucket }) => bucket === holding.bucket)
}

class Tally {
  #copied = nothing
  #assets = 0
  readonly #missing: Missed[] = []
  readonly #failed: Missed[] = []

  add(db: OrganizationDb, { bucket, assetId }: Holding, outcome: Copied | Error): void {
    // Each asset has one entry in the media bucket.
    if (bucket === 'media') this.#assets += 1
    const asset = { organization: db.organizationId, asset: assetId }
    if (outcome instanceof Error) {
      if (this.#failed.length < NAMED_MAX) this.#failed.push({ ...asset, why: outcome.message })
      return
    }
    this.#copied = sum(this.#copied, { ...outcome, missing: [] })
    for (const key of outcome.missing) {
      if (this.#missing.length < NAMED_MAX) this.#missing.push({ ...asset, why: key })
    }
  }

  pass(): Pass {
    const { objects, bytes, objectsKept } = this.#copied
    const lists = { missing: [...this.#missing], failed: [...this.#failed] }
    return { assets: this.#assets, objects, bytes, objectsKept, ...lists }
  }
}

/** The storage, encoding and delivery of an organization, by day. */
import { isOrganizationId, type OrganizationId } from '../../kernel/ids.ts'
import type { Database, OrganizationDb } from '../../platform/db/database.ts'
import { isSuspended } from '../../platform/db/suspension.ts'
import { findQuotas, type Quotas } from '../quotas/quotas.ts'
import {
  byMonth,
  type EdgeDelivery,
  edgeDeliveryOf,
  type UsageDay,
  type UsageRange,
  usageRange,
} from './usage.rules.ts'
import * as store from './usage.store.ts'
import { UsageCounter } from './usage-counter.ts'

export type { UsageDay }
export { UsageCounter }

type UsageRequest = Partial<UsageRange> & { readonly by: 'day' | 'month' }

export type Usage = UsageRange & { readonly periods: readonly UsageDay[]; readonly quotas: Quotas }

export async function readUsage(db: OrganizationDb, { by, ...request }: UsageRequest, nowMilliseconds: number) {
  const range = usageRange(request, nowMilliseconds)
  const [days, quotas] = await Promise.all([store.selectDays(db, range), findQuotas(db)])
  return { ...range, quotas, periods: by === 'month' ? byMonth(days) : days } satisfies Usage
}

const ORGANIZATIONS_PER_PAGE = 100

/** Merges the rows of past days, and deletes the figures of days before the last 13 months. */
export async function mergeUsage(database: Database, signal: AbortSignal): Promise<void> {
  let after = ''
  do {
    const ids = await store.selectOrganizationsWithOldUsage(database, after, ORGANIZATIONS_PER_PAGE)
    for (const id of ids) {
      if (signal.aborted) return
      await database.forOrganization(id).transaction(store.mergeOldUsage).catch(ignoreSuspended)
    }
    after = ids.length < ORGANIZATIONS_PER_PAGE ? '' : (ids.at(-1) ?? '')
  } while (after !== '')
}

function ignoreSuspended(error: unknown): void {
  if (!isSuspended(error)) throw error
}

/** Bytes per day and file, which bounds the memory to the files that were delivered. */
type EdgeTotals = Map<string, EdgeDelivery>

/** Deliveries of an edge by organization. */
export class EdgeLog {
  readonly #totals = new Map<OrganizationId, EdgeTotals>()

  addLine(line: string): void {
    const delivery = edgeDeliveryOf(line)
    if (!delivery || !isOrganizationId(delivery.organizationId)) return
    const totals = this.#totals.get(delivery.organizationId) ?? new Map<string, EdgeDelivery>()
    this.#totals.set(delivery.organizationId, totals)
    const { day, assetId, version, segment } = delivery
    const key = [day, ...(segment ? [assetId, version, segment.track, segment.number] : [])].join(' ')
    totals.set(key, { ...delivery, bytes: delivery.bytes + (totals.get(key)?.bytes ?? 0) })
  }

  *organizations(): Generator<[OrganizationId, EdgeDelivery[]]> {
    for (const [id, totals] of this.#totals) yield [id, [...totals.values()]]
  }
}

/** Rows per statement. */
const DELIVERIES_PER_STATEMENT = 1000

const NO_ASSET = '00000000-0000-0000-0000-000000000000'

/**
 * Adds the deliveries of a log to an organization, all or none. Returns the bytes; undefined if this log was counted
 * before. `hash` identifies the content of the log. Requires a connection of the owner role.
 */
export async function countEdgeLog(
  db: OrganizationDb,
  hash: Buffer,
  deliveries: readonly EdgeDelivery[],
): Promise<number | undefined> {
  return db.transaction(async (tx) => {
    if (!(await store.insertCountedLog(tx, hash))) return undefined
    for (let start = 0; start < deliveries.length; start += DELIVERIES_PER_STATEMENT) {
      const some = deliveries.slice(start, start + DELIVERIES_PER_STATEMENT)
      await store.addEdgeDeliveries(tx, {
        days: some.map(({ day }) => day),
        bytes: some.map(({ bytes }) => bytes),
        assetIds: some.map(({ assetId, segment }) => (segment ? assetId : NO_ASSET)),
        versions: some.map(({ version }) => version),
        tracks: some.map(({ segment }) => segment?.track ?? ''),
        segments: some.map(({ segment }) => segment?.number ?? -1),
      })
    }
    return deliveries.reduce((sum, { bytes }) => sum + bytes, 0)
  })
}

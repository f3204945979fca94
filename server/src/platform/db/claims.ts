/**
 * Claims: one owner at a time works on a row. Jobs, pipeline steps, webhooks and schedules share these conditions.
 *
 * A column names the owner: a worker, or an attempt by its fence token. A claim ends when its owner releases it, or
 * when the owner's worker is dead and another worker reclaims the row. Workers renew a lease with heartbeats, by the
 * database's clock (jobs/leases.store.ts). The lease's duration is in its row, so workers with different settings
 * agree on which workers are dead.
 */
import { sql } from 'kysely'

type Fragment = ReturnType<typeof sql>

/** How a table stores its claims. */
export type Claims = {
  readonly table: Fragment
  /** Column with the owner. */
  readonly owner: Fragment
  /** Whether a row is claimed. */
  readonly isClaimed: Fragment
  /** Assignments that make a row claimable again. */
  readonly released: Fragment
}

/**
 * Whether the worker's lease has not expired. A heartbeat in the future was sent before the database's clock was set
 * back; without the second condition, dead workers would count as alive until the clock reaches that time.
 */
export const isAlive = (workerId: Fragment) => sql<boolean>`exists (
  select from worker_leases l where l.worker_id = ${workerId}
    and l.seen_at > clock_timestamp() - make_interval(secs => l.lease_seconds)
    and l.seen_at < clock_timestamp() + make_interval(secs => l.lease_seconds))`

/**
 * Whether the worker may declare others dead. After a Postgres outage, or a step of its clock, every lease has
 * expired, so the worker's own lease must have been valid for the longest lease duration: by then every live worker
 * has renewed its lease.
 */
const mayDeclareDead = (workerId: Fragment) => sql<boolean>`${isAlive(workerId)}
  and exists (select from worker_leases me where me.worker_id = ${workerId}
    and me.steady_since < clock_timestamp() - make_interval(secs => (select max(lease_seconds) from worker_leases)))`

/** Whether the owner is dead and this worker may declare it dead. */
export const isAbandoned = (owner: Fragment, workerId: string) =>
  sql<boolean>`not ${isAlive(owner)} and ${mayDeclareDead(sql`${workerId}`)}`

/** Whether this worker may claim the row: it is unclaimed, abandoned, or claimed by this worker before a restart. */
export const isFree = (owner: Fragment, workerId: string) =>
  sql<boolean>`(${owner} is null or ${owner} = ${workerId} or (${isAbandoned(owner, workerId)}))`

/** The fence: whether the owner still has its claim. Writes of an owner have this condition. */
export const isOwnedBy = ({ isClaimed, owner }: Claims, id: string | number) =>
  sql<boolean>`${isClaimed} and ${owner} = ${id}`

/** Releases the claims that fulfil the condition. */
export const release = ({ table, released, isClaimed }: Claims, condition: Fragment) =>
  sql`update ${table} set ${released} where ${isClaimed} and ${condition}`

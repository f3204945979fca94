/**
 * Conditions on worker leases. Each worker renews its lease with heartbeats, by the database's clock
 * (jobs/leases.store.ts). The lease's duration is in its row, so workers with different settings agree
 * on which workers are dead.
 */
import { sql } from 'kysely'

type Value = ReturnType<typeof sql>

/** The worker's lease has not expired. */
export const isAlive = (workerId: Value) => sql<boolean>`exists (
  select from worker_leases l where l.worker_id = ${workerId}
    and l.seen_at > clock_timestamp() - make_interval(secs => l.lease_seconds))`

/**
 * The worker may declare others dead. After a Postgres outage every lease has expired, so the worker's own
 * lease must have been valid for the longest lease duration: by then every live worker has renewed its lease.
 */
export const mayDeclareDead = (workerId: Value) => sql<boolean>`${isAlive(workerId)}
  and exists (select from worker_leases me where me.worker_id = ${workerId}
    and me.steady_since < clock_timestamp() - make_interval(secs => (select max(lease_seconds) from worker_leases)))`

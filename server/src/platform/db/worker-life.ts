/**
 * Which workers live. Each gives a sign of life, by the database's clock (jobs/leases.store.ts);
 * conditions on that are for all who share work out.
 */
import { sql } from 'kysely'

/** A worker that has been silent for so long is taken for dead. */
const LEASE_SECONDS = 10

type Value = ReturnType<typeof sql>

export const lease = sql`make_interval(secs => ${sql.lit(LEASE_SECONDS)})`

/** A condition: the worker has given a sign of life lately. */
export const isAlive = (workerId: Value) => sql<boolean>`exists (
  select from worker_leases l where l.worker_id = ${workerId} and l.seen_at > clock_timestamp() - ${lease})`

/**
 * A condition: the worker may judge that others are dead. After an outage of Postgres everybody's
 * lease has run out, one's own as well. So only a worker judges others whose lease is good and has
 * been for a whole term: by then those that live have given their sign.
 */
export const mayJudge = (workerId: Value) => sql<boolean>`${isAlive(workerId)}
  and exists (select from worker_leases me
    where me.worker_id = ${workerId} and me.steady_since < clock_timestamp() - ${lease})`

/** Measures the time that Postgres spends on each kind of statement, with pg_stat_statements, which the stack loads. */
import { type StackEnv, Superuser, withDatabase } from '@reelkeep/testkit'

/** The statements that a worker runs to claim a job, identified by a part of their text. */
const kinds = {
  'which organizations wait': 'with recursive partitions%',
  'how many run': 'select count(*) from "dbos".workflow_status%queue_partition_key%',
  'which are first': 'select workflow_uuid%for update nowait%',
  'mark them': 'update "dbos".workflow_status%set status%executor_id%returning workflow_uuid',
  'claim the step': '%update pipelines set last_token%',
} as const

export type StatementKind = keyof typeof kinds
export const statementKinds = Object.keys(kinds) as StatementKind[]

export async function openStatementTimes(env: StackEnv) {
  const database = new URL(env.DATABASE_SUPERUSER_URL).pathname.slice(1)
  const superuser = await Superuser.open(withDatabase(env, 'postgres'))
  return {
    reset: () => superuser.query('select pg_stat_statements_reset()'),
    /** Returns the mean time per call in milliseconds. */
    meanOf: async (kind: StatementKind): Promise<number> => {
      const [row] = await superuser.query<{ mean: number }>(
        `select (sum(total_exec_time) / sum(calls))::float8 as mean
         from pg_stat_statements s join pg_database d on d.oid = s.dbid
         where d.datname = $1 and regexp_replace(query, '\\s+', ' ', 'g') ilike $2`,
        [database, `%${kinds[kind]}%`],
      )
      return row?.mean ?? Number.NaN
    },
    [Symbol.asyncDispose]: () => superuser[Symbol.asyncDispose](),
  }
}

/** Weekly partitions of the event log. A newer cell lacks the older weeks of an organization. */
import { sql } from 'kysely'
import type { Database } from '../../../platform/db/database.ts'
import { type Given, type Query, statement } from '../../../platform/db/statement.ts'

type Week = { readonly name: string; readonly parent: string; readonly bounds: string }

const weeks = statement(
  (_: Given<object>) => sql<Week>`
    select week.relname as name, parent.relname as parent, pg_get_expr(week.relpartbound, week.oid) as bounds
    from pg_inherits
    join pg_class week on week.oid = inhrelid and week.relkind = 'r' and week.relnamespace = 'event_weeks'::regnamespace
    join pg_class parent on parent.oid = inhparent and parent.relnamespace = 'public'::regnamespace
    order by week.relname`,
)

const command = (text: string): Query<object> => ({ name: '', text, values: () => [] })

const weekName = /^[a-z_]+_\d{8}$/

/** Creates the partitions that the destination lacks. Returns their names. */
export async function createWeeks(source: Database, destination: Database): Promise<string[]> {
  const existing = new Set((await destination.runUnscoped(weeks({}))).map(({ name }) => name))
  const missing = (await source.runUnscoped(weeks({}))).filter(({ name }) => !existing.has(name))
  for (const { name, parent, bounds } of missing) {
    if (!weekName.test(name)) throw new Error(`${name} is not a partition of the event log`)
    // The partition is created separately and then attached, so that readers and writers of the log do not wait, and in
    // one transaction, so that no unattached table is left with that name.
    const table = `event_weeks.${name}`
    await destination.runUnscoped(
      command(`do $week$ begin
        if to_regclass('${table}') is not null then
          lock table ${table} in access exclusive mode;
          if exists (select from pg_inherits where inhrelid = '${table}'::regclass) then return; end if;
          drop table ${table};
        end if;
        create table ${table} (like public.${parent} including all);
        alter table ${table} owner to reelkeep_owner;
        alter table public.${parent} attach partition ${table} ${bounds};
      end $week$`),
    )
  }
  return missing.map(({ name }) => name)
}

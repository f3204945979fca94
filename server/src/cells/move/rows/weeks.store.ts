/**
 * The tables that the log of events is kept in, one a week. A cell that is younger than an
 * organization lacks its older weeks.
 */
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

/** Makes those that one database has and the other lacks; answers their names. */
export async function makeMissingWeeks(source: Database, destination: Database): Promise<string[]> {
  const there = new Set((await destination.ask(weeks({}))).map(({ name }) => name))
  const missing = (await source.ask(weeks({}))).filter(({ name }) => !there.has(name))
  for (const { name, parent, bounds } of missing) {
    if (!weekName.test(name)) throw new Error(`${name} is no week of the log of events`)
    // Made beside it and then attached: nobody who reads or writes the log waits. All at once, or a
    // name would be left that is no week and stands in the way of one.
    const table = `event_weeks.${name}`
    await destination.ask(
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

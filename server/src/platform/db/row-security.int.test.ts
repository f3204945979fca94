/** Rules that row-level security depends on, checked in Postgres' catalog, so a new table cannot break them. */
import { Superuser } from '@reelkeep/testkit'
import { opened } from '@reelkeep/testkit/vitest'
import { describe, expect, it } from 'vitest'

const superuser = await opened(Superuser.open())

/** The column with the row's organization. */
const owningColumn = `case c.relname when 'organizations' then 'id' else 'organization_id' end`

/**
 * Tables without an organization: the list of migrations, and those with which workers coordinate. The API only reads
 * them.
 */
const foreignTables = `('schema_migrations', 'worker_leases', 'schedules', 'database_clock')`

/** Each query returns one row per table, index or key that breaks its rule. */
const rules = {
  'every table has a column with the organization of its rows': `
    select c.relname as violation from pg_class c
    where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace
      and c.relname not in ${foreignTables}
      and not exists (select from pg_attribute a
        where a.attrelid = c.oid and a.attname = ${owningColumn} and a.attnotnull)`,
  'row-level security is enabled, and forced for the owner': `
    select c.relname as violation from pg_class c
    where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace
      and c.relname not in ${foreignTables}
      and not (c.relrowsecurity and c.relforcerowsecurity)`,
  'every table has exactly one policy for the service, which compares the organization': `
    select c.relname as violation from pg_class c
    where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace
      and c.relname not in ${foreignTables}
      and (
        select array_agg(format('%s %s %s', p.polcmd, pg_get_expr(p.polqual, p.polrelid),
          pg_get_expr(p.polwithcheck, p.polrelid)))
        from pg_policy p
        where p.polrelid = c.oid and p.polpermissive
          and (0 = any(p.polroles) or 'reelkeep_api'::regrole = any(p.polroles))
      ) is distinct from array[format('* %1$s %1$s',
        format('(%s = current_setting(''app.organization_id''::text, true))', ${owningColumn}))]`,
  'every key and index begins with the organization, except those of grams, of due rows and of people': `
    select format('%s on %s', i.relname, c.relname) as violation
    from pg_class c
    join pg_index x on x.indrelid = c.oid
    join pg_class i on i.oid = x.indexrelid
    join pg_am am on am.oid = i.relam
    join pg_attribute a on a.attrelid = i.oid and a.attnum = 1
    where c.relnamespace = 'public'::regnamespace and c.relname not in ${foreignTables}
      and am.amname <> 'gin' and a.attname <> ${owningColumn}
      and i.relname not in
        ('upload_sessions_due', 'pipeline_steps_due', 'webhooks_due', 'assets_to_purge', 'folders_to_purge',
         'members_of_person')`,
  'every table has a primary key': `
    select c.relname as violation from pg_class c
    where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace
      and not exists (select from pg_index x where x.indrelid = c.oid and x.indisprimary)`,
  'every foreign key includes the organization': `
    select k.conname as violation
    from pg_constraint k join pg_class c on c.oid = k.conrelid
    where k.contype = 'f' and c.relnamespace = 'public'::regnamespace
      and not exists (select from pg_attribute a where a.attrelid = c.oid
        and a.attnum = k.conkey[1] and a.attname = ${owningColumn})`,
  'every view that the service reads compares the organization or runs with the rights of its reader': `
    select c.relname as violation from pg_class c
    where c.relkind in ('v', 'm') and c.relnamespace = 'public'::regnamespace
      and has_table_privilege('reelkeep_api', c.oid, 'select')
      and coalesce(c.reloptions, '{}') @> '{security_invoker=true}' is not true
      and pg_get_viewdef(c.oid) not like
        '%organization_id = current_setting(''app.organization_id''::text, true)%'`,
  'the service can neither truncate nor reference a table nor create triggers on it': `
    select format('%s %s', kind, c.relname) as violation
    from pg_class c, unnest(array['truncate', 'trigger', 'references']) as kind
    where c.relkind in ('r', 'p', 'v') and c.relnamespace = 'public'::regnamespace
      and has_table_privilege('reelkeep_api', c.oid, kind)`,
  'the service cannot write to a table without an organization': `
    select c.relname as violation from pg_class c where c.relname in ${foreignTables}
      and has_table_privilege('reelkeep_api', c.oid, 'insert, update, delete')`,
  'no sequence is shared between organizations': `
    select c.relname as violation from pg_class c
    where c.relkind = 'S' and c.relnamespace = 'public'::regnamespace`,
} as const

async function violationsOf(rule: keyof typeof rules): Promise<string[]> {
  const rows = await superuser.query<{ violation: string }>(rules[rule])
  return rows.map(({ violation }) => violation)
}

const ruleNames = Object.keys(rules) as (keyof typeof rules)[]

describe('in the whole schema', () => {
  it.each(ruleNames)('%s', async (rule) => {
    expect(await violationsOf(rule)).toEqual([])
  })
})

describe('a schema change that breaks a rule', () => {
  const correctTable = `
    create table forgetful (organization_id text not null, id text, primary key (organization_id, id));
    alter table forgetful enable row level security;
    alter table forgetful force row level security;
    create policy own_organization on forgetful to reelkeep_api
      using (organization_id = current_setting('app.organization_id', true))
      with check (organization_id = current_setting('app.organization_id', true));`

  const breaches: Record<(typeof ruleNames)[number], string> = {
    'every table has a column with the organization of its rows': 'create table forgetful (id text primary key)',
    'row-level security is enabled, and forced for the owner': `${correctTable}
      alter table forgetful no force row level security`,
    'every table has exactly one policy for the service, which compares the organization': `${correctTable}
      create policy everybody on forgetful using (true)`,
    'every key and index begins with the organization, except those of grams, of due rows and of people': `${correctTable}
      create index forgetful_by_id on forgetful (id)`,
    'every table has a primary key': `${correctTable} alter table forgetful drop constraint forgetful_pkey`,
    'every foreign key includes the organization': `${correctTable}
      create unique index forgetful_id on forgetful (id);
      alter table forgetful add parent text references forgetful (id)`,
    'every view that the service reads compares the organization or runs with the rights of its reader': `
      create view forgetful as select * from folders; grant select on forgetful to reelkeep_api`,
    'the service can neither truncate nor reference a table nor create triggers on it': `${correctTable}
      grant truncate on forgetful to reelkeep_api`,
    'the service cannot write to a table without an organization': `
      grant delete on schema_migrations to reelkeep_api`,
    'no sequence is shared between organizations': 'create sequence forgetful',
  }

  it.each(ruleNames)('is found by the rule "%s"', async (rule) => {
    await superuser.query('begin')
    try {
      await superuser.query(breaches[rule])
      expect((await violationsOf(rule)).join()).toMatch(/forgetful|schema_migrations/)
    } finally {
      await superuser.query('rollback')
    }
  })
})

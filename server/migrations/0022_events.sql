-- migrate:up

-- The event log of each organization. A transaction that changes something writes its events to the outbox. Later, a
-- transaction that locks the log assigns sequence numbers to the events and moves them to the log. So writers never
-- wait for each other, numbers have no gaps, and no event appears below one that was already read
-- (docs/decisions/0019).

create table event_outbox (
  organization_id text collate "C" not null references organizations (id),
  -- WAL position at the insert. Unlike a clock it never goes back, so events written one after the other under the same
  -- lock are in that order. Unlike a sequence it is not shared state between organizations.
  position pg_lsn not null default pg_current_wal_insert_lsn(),
  id uuid not null default gen_random_uuid(),
  type text collate "C" not null check (char_length(type) between 1 and 100),
  -- Null if the event is not about an asset. No foreign key, because an event outlives its asset.
  asset_id uuid,
  -- Events with the same subject are delivered in order.
  subject text collate "C" not null check (char_length(subject) between 1 and 100),
  data jsonb not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (organization_id, position, id)
-- Rows are deleted soon. Dead rows are at the start of every scan, so vacuum runs after a fixed number of them and not
-- after a fraction of the table.
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_insert_threshold = -1);

-- The log of an organization. The transaction that sequences its events locks this row.
create table event_logs (
  organization_id text collate "C" primary key references organizations (id),
  last_number bigint not null default 0
);

create table events (
  organization_id text collate "C" not null,
  number bigint not null,
  -- Increases with the numbers, so that each weekly partition is a contiguous range of the log. It is the time of the
  -- insert, while the log is locked, and not the start of a transaction that may have waited for the lock.
  numbered_at timestamptz not null default clock_timestamp(),
  id uuid not null,
  type text collate "C" not null,
  asset_id uuid,
  subject text collate "C" not null,
  data jsonb not null,
  -- Limits the size of a response without reading the data itself.
  data_bytes integer not null generated always as (octet_length(data::text)) stored,
  created_at timestamptz not null,
  primary key (organization_id, number, numbered_at)
) partition by range (numbered_at);

create index events_of_asset on events (organization_id, asset_id, number);
create index events_by_id on events (organization_id, id);

alter table event_outbox enable row level security;
alter table event_outbox force row level security;
alter table event_logs enable row level security;
alter table event_logs force row level security;
alter table events enable row level security;
alter table events force row level security;

create policy own_organization on event_outbox to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));
create policy own_organization on event_logs to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));
create policy own_organization on events to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));

create policy administration on event_outbox to reelkeep_owner using (true) with check (true);
create policy administration on event_logs to reelkeep_owner using (true) with check (true);
create policy administration on events to reelkeep_owner using (true) with check (true);

grant select, insert, delete on event_outbox to reelkeep_api;
grant select, insert, update on event_logs to reelkeep_api;
grant select, insert on events to reelkeep_api;

-- Schema of the weekly partitions. (Daily partitions would be up to ninety tables that every reader locks.) Only the
-- owner has access: rows are accessed through the tables above, with their policies.
create schema event_weeks;

-- Creates the partitions of the next weeks, and drops those whose events are all older than the retention.
create function keep_event_weeks(kept_days integer) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  parent text;
  week date;
  name text;
begin
  set local lock_timeout = '2s';
  for parent in
    select c.relname from pg_class c where c.relkind = 'p' and c.relnamespace = 'public'::regnamespace
      -- The next migration creates the last two. Other partitioned tables are not touched.
      and c.relname in ('events', 'webhook_deliveries', 'webhook_attempts')
  loop
    for ahead in 0..2 loop
      week := date_trunc('week', now() at time zone 'UTC')::date + 7 * ahead;
      name := parent || to_char(week, '_YYYYMMDD');
      continue when to_regclass(format('event_weeks.%I', name)) is not null;
      -- Created separately and then attached, so that readers and writers of the log do not wait.
      execute format('create table event_weeks.%I (like public.%I including all)', name, parent);
      execute format('alter table public.%I attach partition event_weeks.%I for values from (%L) to (%L)',
        parent, name, week || ' 00:00+00', (week + 7) || ' 00:00+00');
    end loop;
    for name in
      select c.relname from pg_class c
      where c.relnamespace = 'event_weeks'::regnamespace and c.relkind = 'r'
        and c.relname ~ ('^' || parent || '_[0-9]{8}$')
        and to_date(right(c.relname, 8), 'YYYYMMDD') + 7 <= (now() at time zone 'UTC')::date - kept_days
    loop
      execute format('drop table event_weeks.%I', name);
    end loop;
  end loop;
end $$;

revoke execute on function keep_event_weeks(integer) from public;
grant execute on function keep_event_weeks(integer) to reelkeep_worker;

select keep_event_weeks(30);

-- What the worker can read across organizations: which organizations have events that are not sequenced.
create policy sweep on event_outbox for select to reelkeep_sweep using (true);
grant select (organization_id, created_at) on event_outbox to reelkeep_sweep;

create view organizations_with_unnumbered_events as
  select organization_id, min(created_at) as since from event_outbox
  where created_at < now() - interval '1 second' group by organization_id;

grant create on schema public to reelkeep_sweep;
alter view organizations_with_unnumbered_events owner to reelkeep_sweep;
revoke create on schema public from reelkeep_sweep;

grant select on organizations_with_unnumbered_events to reelkeep_worker;

-- migrate:down

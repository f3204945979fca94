-- migrate:up

-- What happened, one log for each organization. Whoever changes something writes what happened into the outbox, in the same transaction.
-- Later, in a transaction that holds the log, events get their numbers and move on. So writers never wait for each other, and yet numbers
-- have no gap and no event appears below one that was seen (docs/decisions/0019).

create table event_outbox (
  organization_id text collate "C" not null references organizations (id),
  -- How far Postgres had come with its journal. Unlike a clock that never goes back, so what was written under the same lock, one after
  -- the other, is in that order; and unlike a sequence it is nobody's number.
  position pg_lsn not null default pg_current_wal_insert_lsn(),
  id uuid not null default gen_random_uuid(),
  type text collate "C" not null check (char_length(type) between 1 and 100),
  -- Null of what is about no asset. No foreign key: an event outlives what it is about.
  asset_id uuid,
  -- Events about the same thing are told in their order.
  subject text collate "C" not null check (char_length(subject) between 1 and 100),
  data jsonb not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (organization_id, position, id)
-- Rows stay for a moment. What they leave behind lies where everybody looks first, so it is cleared away by number and not by share.
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_insert_threshold = -1);

-- The log of an organization: whoever numbers its events holds this row.
create table event_logs (
  organization_id text collate "C" primary key references organizations (id),
  last_number bigint not null default 0
);

create table events (
  organization_id text collate "C" not null,
  number bigint not null,
  -- Rises with the numbers, so the weeks that tables are kept by are stretches of the log: the time at which the row is written, while the
  -- log is held, and not the beginning of a transaction that may have waited for it.
  numbered_at timestamptz not null default clock_timestamp(),
  id uuid not null,
  type text collate "C" not null,
  asset_id uuid,
  subject text collate "C" not null,
  data jsonb not null,
  -- So that an answer is bounded without opening what it would hold.
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

-- Where the weeks lie. (A table for each day would be locked by every reader, and there are ninety.) Nobody but the owner enters: rows are reached through the tables above, with their policies.
create schema event_weeks;

-- Makes the weeks that are about to begin, and drops those of which every event is older than is kept.
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
      -- The last two come with the next migration. What others partition is theirs.
      and c.relname in ('events', 'webhook_deliveries', 'webhook_attempts')
  loop
    for ahead in 0..2 loop
      week := date_trunc('week', now() at time zone 'UTC')::date + 7 * ahead;
      name := parent || to_char(week, '_YYYYMMDD');
      continue when to_regclass(format('event_weeks.%I', name)) is not null;
      -- Made beside it and then attached: nobody who reads or writes the log waits.
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

-- What the worker may see across organizations: whose events have been waiting for their numbers.
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

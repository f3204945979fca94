-- migrate:up

-- What an organization uses, by day in UTC. The first three figures are changes: their sum up to a day is the state at
-- the end of that day, exactly. A schedule merges the slots of past days, and days older than 13 months into one.
-- Sharded like usage_counts. A backend always writes to one slot, so two transactions cannot deadlock here.
create table usage_days (
  organization_id text collate "C" not null,
  day date not null,
  slot smallint not null check (slot between 0 and 15),
  -- All files; those of renditions are counted a second time by themselves.
  stored_bytes bigint not null default 0,
  rendition_bytes bigint not null default 0,
  assets bigint not null default 0,
  encoded_seconds double precision not null default 0,
  delivered_bytes bigint not null default 0,
  delivered_seconds double precision not null default 0,
  api_requests bigint not null default 0,
  primary key (organization_id, day, slot)
) with (fillfactor = 50);

-- Access logs of edges whose deliveries are counted, by the hash of their content, so that none is counted twice.
create table counted_edge_logs (
  organization_id text collate "C" not null,
  hash bytea not null check (octet_length(hash) = 32),
  counted_at timestamptz not null default now(),
  primary key (organization_id, hash)
);

alter table usage_days enable row level security;
alter table usage_days force row level security;
alter table counted_edge_logs enable row level security;
alter table counted_edge_logs force row level security;

create policy own_organization on usage_days to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));
create policy own_organization on counted_edge_logs to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));
create policy administration on usage_days to reelkeep_owner using (true) with check (true);
create policy administration on counted_edge_logs to reelkeep_owner using (true) with check (true);
create policy sweep on usage_days for select to reelkeep_sweep using (true);

grant select, insert, update on usage_days to reelkeep_api;
grant delete on usage_days to reelkeep_worker;
grant select, delete on counted_edge_logs to reelkeep_worker;
grant select on usage_days to reelkeep_sweep;
grant select (quota_stored_bytes, quota_assets, quota_encoded_minutes, quota_open_sessions) on organizations
  to reelkeep_sweep;

create trigger refuse_while_held before insert or update or delete on usage_days
  execute function refuse_while_held();
create trigger refuse_while_held before insert or update or delete on counted_edge_logs
  execute function refuse_while_held();

create function count_usage_day(
  organization text, bytes bigint, bytes_of_renditions bigint, assets_more bigint, seconds double precision
) returns void
language sql as $$
  insert into public.usage_days as days (
    organization_id, day, slot, stored_bytes, rendition_bytes, assets, encoded_seconds)
  values (organization, (now() at time zone 'utc')::date, pg_backend_pid() % 16, bytes, bytes_of_renditions,
    assets_more, seconds)
  on conflict (organization_id, day, slot) do update set
    stored_bytes = days.stored_bytes + excluded.stored_bytes,
    rendition_bytes = days.rendition_bytes + excluded.rendition_bytes,
    assets = days.assets + excluded.assets,
    encoded_seconds = days.encoded_seconds + excluded.encoded_seconds
$$;

-- Quotas read the totals of usage_counts, which has few rows.
create or replace function count_usage(organization text, bytes bigint, seconds double precision) returns void
language sql as $$
  insert into public.usage_counts as counts (organization_id, month, slot, stored_bytes, encoded_seconds)
  values (organization, to_char(now() at time zone 'utc', 'YYYY-MM'), pg_backend_pid() % 16, bytes, seconds)
  on conflict (organization_id, month, slot) do update set
    stored_bytes = counts.stored_bytes + excluded.stored_bytes,
    encoded_seconds = counts.encoded_seconds + excluded.encoded_seconds;
  select public.count_usage_day(organization, bytes, 0, 0, seconds)
$$;

-- A move between cells copies the counts as well as the rows.
create function count_rendition_bytes() returns trigger
language plpgsql as $$
begin
  if current_setting('app.is_mover', true) is distinct from 'yes' then
    perform public.count_usage_day(
      coalesce(new.organization_id, old.organization_id), 0, coalesce(new.bytes, 0) - coalesce(old.bytes, 0), 0, 0);
  end if;
  return null;
end $$;

create function count_assets() returns trigger
language plpgsql as $$
begin
  if current_setting('app.is_mover', true) is distinct from 'yes' then
    perform public.count_usage_day(new.organization_id, 0, 0, new.asset_count - coalesce(old.asset_count, 0), 0);
  end if;
  return null;
end $$;

-- Adds what an instance of the API has delivered, for many organizations in one statement. The lock comes first, so that
-- a suspension waits for this transaction or is seen by the next statement: nothing is written for a suspended
-- organization. An organization that was deleted meanwhile gets no row.
create function add_delivered_usage(organizations text[], requests bigint[], bytes bigint[], seconds double precision[])
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  lock table public.usage_days in row exclusive mode;
  insert into public.usage_days as days (
    organization_id, day, slot, api_requests, delivered_bytes, delivered_seconds)
  select added.id, (now() at time zone 'utc')::date, pg_backend_pid() % 16, added.requests, added.bytes, added.seconds
  from unnest($1, $2, $3, $4) as added (id, requests, bytes, seconds)
  join public.organizations on organizations.id = added.id
  where not exists (select from public.held_organizations held where held.organization_id = added.id)
  order by added.id
  on conflict (organization_id, day, slot) do update set
    api_requests = days.api_requests + excluded.api_requests,
    delivered_bytes = days.delivered_bytes + excluded.delivered_bytes,
    delivered_seconds = days.delivered_seconds + excluded.delivered_seconds;
end $$;
revoke execute on function add_delivered_usage(text[], bigint[], bigint[], double precision[]) from public;
grant execute on function add_delivered_usage(text[], bigint[], bigint[], double precision[]) to reelkeep_api;

-- The level of each quota for which an event was recorded last: {"assets": 80}.
alter table organizations add column quota_levels jsonb not null default '{}';
grant update (quota_levels) on organizations to reelkeep_api;

-- What workers read across organizations: those with quotas, and those whose usage can be merged.
create view organizations_with_quotas as
  select id as organization_id from organizations
  where num_nonnulls(quota_stored_bytes, quota_assets, quota_encoded_minutes, quota_open_sessions) > 0
    and not exists (select from held_organizations held where held.organization_id = organizations.id);

create view organizations_with_old_usage as
  select id as organization_id from organizations
  where exists (
      select from usage_days
      where usage_days.organization_id = organizations.id and slot > 0
        and day < (now() at time zone 'utc')::date - 1)
    and not exists (select from held_organizations held where held.organization_id = organizations.id);

grant create on schema public to reelkeep_sweep;
alter view organizations_with_quotas owner to reelkeep_sweep;
alter view organizations_with_old_usage owner to reelkeep_sweep;
revoke create on schema public from reelkeep_sweep;

grant select on organizations_with_quotas, organizations_with_old_usage to reelkeep_worker;

-- migrate:down

-- migrate:up

-- Limits that the operator sets; null means no limit. Encoded minutes are per calendar month in UTC.
alter table organizations
  add column quota_stored_bytes bigint,
  add column quota_assets bigint,
  add column quota_encoded_minutes bigint,
  add column quota_open_sessions bigint;

-- What an organization uses, as changes per month: the sum of stored_bytes over all months is stored now. Sharded like
-- asset_counts. A backend always writes to one slot, so two transactions cannot deadlock here.
create table usage_counts (
  organization_id text collate "C" not null,
  -- In UTC, such as 2027-01.
  month text collate "C" not null check (month ~ '^\d{4}-\d{2}$'),
  slot smallint not null check (slot between 0 and 15),
  stored_bytes bigint not null default 0,
  encoded_seconds double precision not null default 0,
  primary key (organization_id, month, slot)
) with (fillfactor = 50);

alter table usage_counts enable row level security;
alter table usage_counts force row level security;

create policy own_organization on usage_counts to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));
create policy administration on usage_counts to reelkeep_owner using (true) with check (true);

grant select, insert, update on usage_counts to reelkeep_api;

create trigger refuse_while_held before insert or update or delete on usage_counts
  execute function refuse_while_held();

create function count_usage(organization text, bytes bigint, seconds double precision) returns void
language sql as $$
  insert into public.usage_counts as counts (organization_id, month, slot, stored_bytes, encoded_seconds)
  values (organization, to_char(now() at time zone 'utc', 'YYYY-MM'), pg_backend_pid() % 16, bytes, seconds)
  on conflict (organization_id, month, slot) do update set
    stored_bytes = counts.stored_bytes + excluded.stored_bytes,
    encoded_seconds = counts.encoded_seconds + excluded.encoded_seconds
$$;

-- A move between cells copies the counts as well as the rows.
create function count_stored_bytes() returns trigger
language plpgsql as $$
begin
  if current_setting('app.is_mover', true) is distinct from 'yes' then
    perform public.count_usage(
      coalesce(new.organization_id, old.organization_id), coalesce(new.bytes, 0) - coalesce(old.bytes, 0), 0);
  end if;
  return null;
end $$;

-- migrate:down

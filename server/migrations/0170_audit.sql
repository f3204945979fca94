-- migrate:up

-- The audit log of each organization (docs/decisions/0042-audit.md). A transaction that changes something inserts its
-- entry into the outbox, and waits for nothing. Later, `seal_audit_entries` moves entries to the log in batches: it
-- assigns gapless numbers and chains the hashes. The service can insert into the outbox and read; only the functions
-- below write to the log.

create table audit_outbox (
  organization_id text collate "C" not null,
  -- As in event_outbox: the order of writing, without shared state between organizations.
  position pg_lsn not null default pg_current_wal_insert_lsn(),
  id uuid not null default gen_random_uuid(),
  created_at timestamptz not null default clock_timestamp(),
  actor_kind text not null,
  actor_id uuid,
  -- Null for tokens and members: their name is added when the entry is sealed.
  actor_name text,
  action text not null,
  object_type text,
  object_id text,
  outcome text not null,
  error_code text,
  address text,
  user_agent text,
  request_id text,
  entry_count integer not null default 1,
  primary key (organization_id, position, id)
-- Rows are deleted soon, as in event_outbox.
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_insert_threshold = -1);

create table audit_entries (
  organization_id text collate "C" not null,
  number bigint not null,
  created_at timestamptz not null,
  actor_kind text not null,
  actor_id uuid,
  actor_name text,
  action text collate "C" not null,
  object_type text collate "C",
  object_id text collate "C",
  outcome text not null,
  error_code text,
  address text,
  user_agent text,
  request_id text,
  -- How many requests the entry stands for: more than 1 if refusals were left out.
  entry_count integer not null,
  previous_hash bytea not null,
  hash bytea not null,
  primary key (organization_id, number)
);
create index audit_entries_by_time on audit_entries (organization_id, created_at);
create index audit_entries_by_actor on audit_entries (organization_id, actor_id, number);
create index audit_entries_by_object on audit_entries (organization_id, object_id, number);
create index audit_entries_by_action on audit_entries (organization_id, action, number);
create index audit_entries_refused on audit_entries (organization_id, number) where outcome = 'refused';

-- The ends of the log. Sealing and removing entries lock this row.
create table audit_logs (
  organization_id text collate "C" primary key references organizations (id),
  -- The last entry.
  last_number bigint not null default 0,
  last_hash bytea not null default decode(repeat('00', 32), 'hex'),
  -- The last entry that was removed because of its age. The first remaining entry continues from its hash.
  anchor_number bigint not null default 0,
  anchor_hash bytea not null default decode(repeat('00', 32), 'hex'),
  -- The last entry that was published as an event, and the day.
  published_number bigint not null default 0,
  published_on date
);

alter table audit_outbox enable row level security;
alter table audit_outbox force row level security;
alter table audit_entries enable row level security;
alter table audit_entries force row level security;
alter table audit_logs enable row level security;
alter table audit_logs force row level security;

create policy own_organization on audit_outbox to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));
create policy own_organization on audit_entries to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));
create policy own_organization on audit_logs to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));
create policy administration on audit_outbox to reelkeep_owner using (true) with check (true);
create policy administration on audit_entries to reelkeep_owner using (true) with check (true);
create policy administration on audit_logs to reelkeep_owner using (true) with check (true);

grant select, insert on audit_outbox to reelkeep_api;
grant select on audit_entries to reelkeep_api;
grant select on audit_logs to reelkeep_api;

create trigger refuse_while_held before insert or update or delete on audit_outbox
  execute function refuse_while_held();
create trigger refuse_while_held before insert or update or delete on audit_entries
  execute function refuse_while_held();
create trigger refuse_while_held before insert or update or delete on audit_logs
  execute function refuse_while_held();

-- The text of an entry that is hashed: the JSON of the API without `hash`, in the form of RFC 8785 (keys in order, no
-- spaces). It has only strings, whole numbers and nulls.
create function audit_entry_text(entry audit_entries) returns text
language sql stable as $$
  select concat(
    '{"action":', to_json(entry.action),
    ',"actor":{"id":', coalesce(to_json(entry.actor_id)::text, 'null'),
    ',"kind":', to_json(entry.actor_kind), ',"name":', coalesce(to_json(entry.actor_name)::text, 'null'),
    '},"address":', coalesce(to_json(entry.address)::text, 'null'),
    ',"count":', entry.entry_count,
    ',"created_at":"', to_char(entry.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
    '","error_code":', coalesce(to_json(entry.error_code)::text, 'null'),
    ',"number":', entry.number,
    ',"object":{"id":', coalesce(to_json(entry.object_id)::text, 'null'),
    ',"type":', coalesce(to_json(entry.object_type)::text, 'null'),
    '},"organization_id":', to_json(entry.organization_id),
    ',"outcome":', to_json(entry.outcome),
    ',"previous_hash":"', encode(entry.previous_hash, 'hex'),
    '","request_id":', coalesce(to_json(entry.request_id)::text, 'null'),
    ',"user_agent":', coalesce(to_json(entry.user_agent)::text, 'null'), '}')
$$;

-- Moves entries of the organization from the outbox to the log, and returns their number. The lock is taken by a
-- statement of its own, so that the next one sees everything that was committed before.
create function seal_audit_entries(entry_limit integer) returns integer
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  organization text := current_setting('app.organization_id');
  log audit_logs;
  waiting record;
  entry audit_entries;
  entries audit_entries[] := '{}';
  sealed integer := 0;
begin
  insert into audit_logs (organization_id) select id from organizations where id = organization
    on conflict do nothing;
  select * into log from audit_logs where organization_id = organization for update;
  if not found then
    -- The organization was deleted.
    delete from audit_outbox where organization_id = organization;
    return 0;
  end if;
  entry.organization_id := organization;
  entry.number := log.last_number;
  entry.hash := log.last_hash;
  for waiting in
    with batch as (
      delete from audit_outbox
      where organization_id = organization and ctid = any (array(
        select ctid from audit_outbox where organization_id = organization
        order by position, id limit entry_limit))
      returning *
    )
    select batch.*, tokens.name as token_name from batch
    left join tokens on tokens.organization_id = organization and tokens.id = batch.actor_id
    order by batch.position, batch.id
  loop
    entry.number := entry.number + 1;
    entry.created_at := waiting.created_at;
    entry.actor_kind := waiting.actor_kind;
    entry.actor_id := waiting.actor_id;
    entry.actor_name := coalesce(waiting.actor_name, waiting.token_name);
    entry.action := waiting.action;
    entry.object_type := waiting.object_type;
    entry.object_id := waiting.object_id;
    entry.outcome := waiting.outcome;
    entry.error_code := waiting.error_code;
    entry.address := waiting.address;
    entry.user_agent := waiting.user_agent;
    entry.request_id := waiting.request_id;
    entry.entry_count := waiting.entry_count;
    entry.previous_hash := entry.hash;
    entry.hash := sha256(convert_to(audit_entry_text(entry), 'UTF8'));
    sealed := sealed + 1;
    entries[sealed] := entry;
  end loop;
  if sealed > 0 then
    insert into audit_entries select * from unnest(entries);
    update audit_logs set last_number = entry.number, last_hash = entry.hash where organization_id = organization;
  end if;
  return sealed;
end $$;

-- Removes entries that are older than the retention, from the start of the log, and records that. Returns their number.
create function remove_old_audit_entries(kept_days integer, entry_limit integer) returns bigint
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  organization text := current_setting('app.organization_id');
  log audit_logs;
  anchor record;
begin
  select * into log from audit_logs where organization_id = organization for update;
  if not found then return 0; end if;
  select number, hash into anchor from (
    select *, bool_and(created_at < now() - make_interval(days => kept_days)) over (order by number) as is_old
    from (select * from audit_entries where organization_id = organization order by number limit entry_limit) as first
  ) as oldest
  where is_old order by number desc limit 1;
  if not found then return 0; end if;
  delete from audit_entries where organization_id = organization and number <= anchor.number;
  update audit_logs set anchor_number = anchor.number, anchor_hash = anchor.hash where organization_id = organization;
  insert into audit_outbox (organization_id, actor_kind, actor_name, action, object_type, object_id, outcome)
  values (organization, 'system', 'retention', 'removeOldAuditEntries', 'audit_entry', anchor.number::text, 'success');
  return anchor.number - log.anchor_number;
end $$;

-- Returns the end of the log if it is to be published today, and notes that it was published.
create function publish_audit_head() returns table (number bigint, hash bytea)
language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  update audit_logs set published_number = last_number, published_on = (now() at time zone 'UTC')::date
  where organization_id = current_setting('app.organization_id') and last_number > published_number
    and published_on is distinct from (now() at time zone 'UTC')::date
  returning last_number, last_hash
$$;

revoke execute on function audit_entry_text(audit_entries), seal_audit_entries(integer),
  remove_old_audit_entries(integer, integer), publish_audit_head() from public;
grant execute on function seal_audit_entries(integer) to reelkeep_api;
grant execute on function remove_old_audit_entries(integer, integer), publish_audit_head() to reelkeep_worker;

-- What the worker can read across organizations: which ones have work to do.
create policy sweep on audit_outbox for select to reelkeep_sweep using (true);
create policy sweep on audit_entries for select to reelkeep_sweep using (true);
create policy sweep on audit_logs for select to reelkeep_sweep using (true);
grant select (organization_id, created_at) on audit_outbox to reelkeep_sweep;
grant select (organization_id, number, created_at) on audit_entries to reelkeep_sweep;
grant select (organization_id, last_number, published_number, published_on) on audit_logs to reelkeep_sweep;

create view organizations_with_unsealed_audit_entries as
  select organization_id, min(created_at) as since from audit_outbox
  where not exists (select from held_organizations held where held.organization_id = audit_outbox.organization_id)
  group by organization_id;

create view audit_log_states as
  select organization_id,
    (select created_at from audit_entries oldest where oldest.organization_id = log.organization_id
      order by number limit 1) as oldest_at,
    last_number > published_number and published_on is distinct from (now() at time zone 'UTC')::date as is_unpublished
  from audit_logs log
  where not exists (select from held_organizations held where held.organization_id = log.organization_id);

grant create on schema public to reelkeep_sweep;
alter view organizations_with_unsealed_audit_entries owner to reelkeep_sweep;
alter view audit_log_states owner to reelkeep_sweep;
revoke create on schema public from reelkeep_sweep;

grant select on organizations_with_unsealed_audit_entries, audit_log_states to reelkeep_worker;

-- migrate:down

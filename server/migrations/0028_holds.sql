-- migrate:up

-- Suspended organizations, to which nothing can be written; normally none. An organization is suspended while it is
-- migrated to another cell, or by the operator. No foreign key to organizations: an organization that is about to
-- arrive from another cell is suspended before its row exists here.
create table held_organizations (
  organization_id text collate "C" primary key check (organization_id ~ '^[a-z0-9]{6,12}$'),
  since timestamptz not null default now(),
  -- `operator`: suspended by the operator. `leaving`, `arriving`: it is being migrated to another cell, or from another
  -- cell to this one. `gone`: another cell hosts it, and the data here is left over. The operator can resume only the
  -- first.
  why text not null default 'operator' check (why in ('operator', 'leaving', 'arriving', 'gone')),
  -- Another cell hosts the organization, so nothing of it is read here either. An organization that is about to arrive
  -- is read as soon as the router sends requests here, and written after it is resumed.
  is_gone boolean not null generated always as (why = 'gone') stored
);

alter table held_organizations enable row level security;
alter table held_organizations force row level security;

create policy own_organization on held_organizations to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));

create policy administration on held_organizations to reelkeep_owner using (true) with check (true);
create policy sweep on held_organizations for select to reelkeep_sweep using (true);

grant select on held_organizations to reelkeep_api, reelkeep_sweep;

-- The write block: no statement writes to a suspended organization, whatever an API, a worker or a command has cached.
-- Every table of organizations has this trigger (the next migration adds it). The function is volatile, so it uses its
-- own snapshot: a statement that starts after the suspension was committed sees the suspension. A command that suspends
-- an organization waits for statements that started before.
create function refuse_while_held() returns trigger
language plpgsql as $$
begin
  if exists (
      select from public.held_organizations
      where organization_id = current_setting('app.organization_id', true))
    and current_setting('app.is_mover', true) is distinct from 'yes'
  then
    raise exception 'organization % is held', current_setting('app.organization_id', true) using errcode = 'RK001';
  end if;
  return null;
end $$;

-- Due work of a suspended organization waits until the organization is resumed.
create or replace view due_upload_sessions as
  select organization_id, uuid, look_at from upload_sessions
  where look_at <= now()
    and not exists (select from held_organizations held where held.organization_id = upload_sessions.organization_id);

create or replace view due_pipeline_steps as
  select organization_id, asset_id, step, true as is_overdue, due_at as since, part from pipeline_steps
  where state in ('waiting', 'running') and due_at <= now()
    and (state = 'waiting' or beat_at > now() - interval '1 minute')
    and not exists (select from held_organizations held where held.organization_id = pipeline_steps.organization_id)
  union all
  select organization_id, asset_id, step, false, beat_at, part from pipeline_steps
  where state = 'running' and beat_at <= now() - interval '1 minute'
    and exists (select from worker_leases
      where seen_at > now() - interval '10 seconds' and steady_since < now() - interval '30 seconds')
    and not exists (select from held_organizations held where held.organization_id = pipeline_steps.organization_id);

create or replace view due_webhooks as
  select organization_id, id, due_at, worker_id from webhooks
  where due_at <= now() and disabled_at is null
    and not exists (select from held_organizations held where held.organization_id = webhooks.organization_id);

create or replace view organizations_with_unnumbered_events as
  select organization_id, min(created_at) as since from event_outbox
  where created_at < now() - interval '1 second'
    and not exists (select from held_organizations held where held.organization_id = event_outbox.organization_id)
  group by organization_id;

create or replace view organizations_with_old_answers as
  select id as organization_id from organizations
  where exists (
      select from idempotency_keys
      where idempotency_keys.organization_id = organizations.id
        and idempotency_keys.created_at <= now() - interval '24 hours')
    and not exists (select from held_organizations held where held.organization_id = organizations.id);

-- migrate:down

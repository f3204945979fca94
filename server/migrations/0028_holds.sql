-- migrate:up

-- Organizations of which nothing may be written for the moment, nearly always none: one that is
-- moved to another cell, or that the operator has stopped. No key to organizations: one that is
-- about to arrive from another cell is held before it is here.
create table held_organizations (
  organization_id text collate "C" primary key check (organization_id ~ '^[a-z0-9]{6,12}$'),
  since timestamptz not null default now(),
  -- The operator said so; or it is on its way to another cell, or from there to here; or it lives
  -- there, and what is here is left over. Only the first is the operator's to release.
  why text not null default 'operator' check (why in ('operator', 'leaving', 'arriving', 'gone')),
  -- It lives in another cell: nothing of it is read here either. One that is about to arrive is
  -- read as soon as the router leads here, and written once it is released.
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

-- The barrier: whatever an API, a worker or a command remembers, no statement writes to a held
-- organization. It stands before every table of organizations (the next step puts it there). It is
-- volatile, so it looks with a snapshot of its own: a statement that begins after the hold was
-- committed sees it. Whoever holds waits for those that began before.
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

-- What is due of a held organization waits until it is released.
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

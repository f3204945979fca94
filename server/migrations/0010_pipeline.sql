-- migrate:up

-- The processing of an asset's file.
create table pipelines (
  organization_id text collate "C" not null,
  asset_id uuid not null,
  -- Which processing of the asset this is: a retry is another. A job of an earlier one finds nothing to do.
  run integer not null,
  -- Counts the attempts at steps, over all runs. The number that an attempt drew when it began is its fencing token.
  last_token integer not null default 0,
  primary key (organization_id, asset_id),
  foreign key (organization_id, asset_id) references assets (organization_id, id) on delete cascade
);

-- The steps of the run that have been promised. A step that is not here has not begun.
create table pipeline_steps (
  organization_id text collate "C" not null,
  asset_id uuid not null,
  step text not null,
  -- Where its job is promised: whoever resumes it need not know the step, which may be newer than himself.
  queue text not null,
  -- Stopped: by the caller, or because it failed; a retry goes on with it.
  state text not null check (state in ('waiting', 'running', 'done', 'stopped')),
  -- Whose step it is: of all attempts, only the one with this token can change or finish it, and of a step that is done,
  -- only what that attempt put out is visible.
  token integer,
  -- How often an attempt began; those that a worker gave back in good order are not counted.
  takes integer not null default 0,
  -- The last sign of the attempt that runs.
  beat_at timestamptz,
  -- When this state ends at the latest.
  due_at timestamptz not null,
  primary key (organization_id, asset_id, step),
  foreign key (organization_id, asset_id) references pipelines (organization_id, asset_id) on delete cascade,
  check ((state = 'running') = (beat_at is not null)),
  check (state not in ('running', 'done') or token is not null)
-- A sign of life changes no index, so it is written beside the row it replaces.
) with (fillfactor = 70);

-- No organization leads it: the watchdog looks at what is overdue in all of them.
create index pipeline_steps_due on pipeline_steps (due_at) where state in ('waiting', 'running');
-- As small as the number of attempts that run, so that the watchdog can look at each of them.
create index pipeline_steps_running on pipeline_steps (organization_id, asset_id) where state = 'running';

alter table pipelines enable row level security;
alter table pipelines force row level security;
alter table pipeline_steps enable row level security;
alter table pipeline_steps force row level security;

create policy own_organization on pipelines to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));

create policy own_organization on pipeline_steps to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));

create policy administration on pipelines to reelkeep_owner using (true) with check (true);
create policy administration on pipeline_steps to reelkeep_owner using (true) with check (true);

grant select, insert, update, delete on pipelines, pipeline_steps to reelkeep_api;

-- What the worker may see across organizations: which steps are overdue, and which attempts fell silent.
create policy sweep on pipeline_steps for select to reelkeep_sweep using (true);
grant select on pipeline_steps to reelkeep_sweep;
grant select on worker_leases to reelkeep_sweep;

-- After an outage of Postgres every attempt looks silent. So nobody is judged before some worker has been heard of without a gap
-- for half a minute: by then those that live have given their sign.
create view due_pipeline_steps as
  select organization_id, asset_id, step, true as is_overdue, due_at as since from pipeline_steps
  where state in ('waiting', 'running') and due_at <= now()
  union all
  select organization_id, asset_id, step, false, beat_at from pipeline_steps
  where state = 'running' and beat_at <= now() - interval '1 minute' and due_at > now()
    and exists (select from worker_leases
      where seen_at > now() - interval '10 seconds' and steady_since < now() - interval '30 seconds');

grant create on schema public to reelkeep_sweep;
alter view due_pipeline_steps owner to reelkeep_sweep;
revoke create on schema public from reelkeep_sweep;

grant select on due_pipeline_steps to reelkeep_worker;

-- migrate:down

-- migrate:up

-- The processing of an asset's file.
create table pipelines (
  organization_id text collate "C" not null,
  asset_id uuid not null,
  -- Number of the run; a retry is a new run. A job of an earlier run has no effect.
  run integer not null,
  -- Number of attempts at steps in all runs. The value at the start of an attempt is its fencing token.
  last_token integer not null default 0,
  primary key (organization_id, asset_id),
  foreign key (organization_id, asset_id) references assets (organization_id, id) on delete cascade
);

-- Steps of the run that have been enqueued. A step without a row has not started.
create table pipeline_steps (
  organization_id text collate "C" not null,
  asset_id uuid not null,
  step text not null,
  -- Queue of the step's job. A worker can resume a step of a newer version that it has no code for.
  queue text not null,
  -- `stopped`: by the user, or because the step failed; a retry continues it.
  state text not null check (state in ('waiting', 'running', 'done', 'stopped')),
  -- Token of the attempt that owns the step: only this attempt can change or finish the step. When the step is done,
  -- only the output of this attempt is visible.
  token integer,
  -- Number of started attempts; attempts that a worker released are not counted.
  takes integer not null default 0,
  -- Last heartbeat of the running attempt.
  beat_at timestamptz,
  -- The latest time at which this state must end.
  due_at timestamptz not null,
  primary key (organization_id, asset_id, step),
  foreign key (organization_id, asset_id) references pipelines (organization_id, asset_id) on delete cascade,
  check ((state = 'running') = (beat_at is not null)),
  check (state not in ('running', 'done') or token is not null)
-- A heartbeat changes no indexed column, so the new row version fits into the same page (HOT update).
) with (fillfactor = 70);

-- This index does not begin with the organization: the watchdog searches for overdue steps of all organizations.
create index pipeline_steps_due on pipeline_steps (due_at) where state in ('waiting', 'running');
-- The index has one entry per running attempt, so that the watchdog can check each of them.
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

-- What the worker can read across organizations: overdue steps, and attempts without a heartbeat.
create policy sweep on pipeline_steps for select to reelkeep_sweep using (true);
grant select on pipeline_steps to reelkeep_sweep;
grant select on worker_leases to reelkeep_sweep;

-- After an outage of Postgres, all heartbeats are old. So no attempt counts as dead until some worker has sent
-- heartbeats without a gap for half a minute: by then all live attempts have sent theirs.
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

-- migrate:up

-- A step may be done in parts, each of them a promise of its own. A step in one go has one, without a name.
alter table pipeline_steps
  add column part text collate "C" not null default '',
  -- How far the attempt that runs has come: segments made so far, by rendition.
  add column under_way jsonb;

-- Given up: it could not be done, and the video is whole without it. A retry does not go on with it.
alter table pipeline_steps
  drop constraint pipeline_steps_state_check,
  add constraint pipeline_steps_state_check
    check (state in ('waiting', 'running', 'done', 'stopped', 'given_up')) not valid;

create or replace view due_pipeline_steps as
  select organization_id, asset_id, step, true as is_overdue, due_at as since, part from pipeline_steps
  where state in ('waiting', 'running') and due_at <= now()
    and (state = 'waiting' or beat_at > now() - interval '1 minute')
  union all
  select organization_id, asset_id, step, false, beat_at, part from pipeline_steps
  where state = 'running' and beat_at <= now() - interval '1 minute'
    and exists (select from worker_leases
      where seen_at > now() - interval '10 seconds' and steady_since < now() - interval '30 seconds');

-- migrate:down

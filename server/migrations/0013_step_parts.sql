-- migrate:up

-- A step may be split into parts, each with its own job. A step that is not split has one part with an empty name.
alter table pipeline_steps
  add column part text collate "C" not null default '',
  -- Progress of the running attempt: number of encoded segments by rendition.
  add column under_way jsonb;

-- `given_up`: the step failed, but the video is complete without it. A retry does not continue it.
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

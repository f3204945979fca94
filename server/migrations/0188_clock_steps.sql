-- migrate:up

-- If the database's clock was set back, heartbeats of dead attempts are in the future. They count as old, unless no
-- worker has sent heartbeats without a gap, or a step of the clock, for half a minute.
create or replace view due_pipeline_steps as
  select organization_id, asset_id, step, true as is_overdue, due_at as since, part from pipeline_steps
  where state in ('waiting', 'running') and due_at <= now()
    and (state = 'waiting' or beat_at between now() - interval '1 minute' and now() + interval '1 minute')
    and not exists (select from held_organizations held where held.organization_id = pipeline_steps.organization_id)
  union all
  select organization_id, asset_id, step, false, beat_at, part from pipeline_steps
  where state = 'running' and beat_at not between now() - interval '1 minute' and now() + interval '1 minute'
    and exists (select from worker_leases
      where seen_at between now() - interval '10 seconds' and now() + interval '10 seconds'
        and steady_since < now() - interval '30 seconds')
    and not exists (select from held_organizations held where held.organization_id = pipeline_steps.organization_id);

-- migrate:down

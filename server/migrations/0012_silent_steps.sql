-- migrate:up

-- A running step whose worker died has not used up its time: all workers may have been down for longer than that. So a
-- step times out only while it sends heartbeats. Without heartbeats it is retried as soon as workers are alive again.
create or replace view due_pipeline_steps as
  select organization_id, asset_id, step, true as is_overdue, due_at as since from pipeline_steps
  where state in ('waiting', 'running') and due_at <= now()
    and (state = 'waiting' or beat_at > now() - interval '1 minute')
  union all
  select organization_id, asset_id, step, false, beat_at from pipeline_steps
  where state = 'running' and beat_at <= now() - interval '1 minute'
    and exists (select from worker_leases
      where seen_at > now() - interval '10 seconds' and steady_since < now() - interval '30 seconds');

-- migrate:down

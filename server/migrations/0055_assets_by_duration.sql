-- migrate:up transaction:false

-- Order by duration, shortest first. Assets without a duration are last.
create index concurrently if not exists assets_by_duration
  on assets (organization_id, (case when duration_seconds is null then 'Infinity' else duration_seconds end), id);

-- migrate:down

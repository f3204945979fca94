-- migrate:up transaction:false

-- Order by duration, longest first, and the filter. Assets without a duration are last: 0 is not a duration.
create index concurrently if not exists assets_by_duration_descending
  on assets (organization_id, (case when duration_seconds is null then 0 else duration_seconds end), id);

-- migrate:down

-- migrate:up transaction:false

-- Order by size, smallest first. Assets without a file are last.
create index concurrently if not exists assets_by_bytes
  on assets (organization_id, (case when bytes is null then 9223372036854775807 else bytes end), id);

-- migrate:down

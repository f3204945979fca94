-- migrate:up transaction:false

-- Order by size, largest first. Assets without a file are last: 0 is not a size.
create index concurrently if not exists assets_by_bytes_descending
  on assets (organization_id, (case when bytes is null then 0 else bytes end), id);

-- migrate:down

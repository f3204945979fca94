-- migrate:up transaction:false

-- Filter by the time of creation, and the order of a list with this filter.
create index concurrently if not exists assets_by_creation
  on assets (organization_id, created_at, id);

-- migrate:down

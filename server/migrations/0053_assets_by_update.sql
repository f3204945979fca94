-- migrate:up transaction:false

-- Order by the time of the last change.
create index concurrently if not exists assets_by_update
  on assets (organization_id, updated_at, id);

-- migrate:down

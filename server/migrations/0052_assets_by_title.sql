-- migrate:up transaction:false

-- Order by title.
create index concurrently if not exists assets_by_title
  on assets (organization_id, title collate natural_order, id);

-- migrate:down

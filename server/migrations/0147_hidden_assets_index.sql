-- migrate:up transaction:false

-- Assets that lists hide: in the trash, versions, and those whose upload expired or was cancelled.
create index concurrently if not exists assets_hidden
  on assets (organization_id, id) where not is_listed or (status = 'Cancelled' and bytes is null);

-- migrate:down

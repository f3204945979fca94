-- migrate:up transaction:false

create unique index concurrently if not exists assets_by_external_id on assets (organization_id, external_id)
  where external_id is not null;

-- migrate:down

-- migrate:up transaction:false

create unique index concurrently if not exists chapters_start
  on chapters (organization_id, asset_id, start_seconds, start_milliseconds);

-- migrate:down

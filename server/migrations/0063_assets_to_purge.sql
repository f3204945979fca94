-- migrate:up transaction:false

-- Does not begin with the organization: a worker searches for due assets of all organizations.
create index concurrently if not exists assets_to_purge on assets (purge_at) where purge_at is not null;

-- migrate:down

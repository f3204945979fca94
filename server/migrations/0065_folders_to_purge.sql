-- migrate:up transaction:false

create index concurrently if not exists folders_to_purge on folders (purge_at) where purge_at is not null;

-- migrate:down

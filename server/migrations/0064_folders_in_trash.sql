-- migrate:up transaction:false

create index concurrently if not exists folders_in_trash on folders (organization_id, deleted_with, deleted_at, uuid)
  where deleted_at is not null;

-- migrate:down

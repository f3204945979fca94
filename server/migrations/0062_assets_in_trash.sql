-- migrate:up transaction:false

-- The trash, newest first, and the assets of a deleted folder.
create index concurrently if not exists assets_in_trash on assets (organization_id, deleted_with, deleted_at, id)
  where deleted_at is not null;

-- migrate:down

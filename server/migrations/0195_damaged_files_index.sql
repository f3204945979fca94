-- migrate:up transaction:false

-- Normally empty.
create index concurrently if not exists published_files_damaged on published_files (organization_id)
  where damaged <> '{}';

-- migrate:down

-- migrate:up transaction:false

-- The files that were not checked for the longest time.
create index concurrently if not exists published_files_by_check on published_files (organization_id, checked_at);

-- migrate:down

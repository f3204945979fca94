-- migrate:up transaction:false

-- The order of the scrub, which continues after the last row that it read: index entries of rows that it has just
-- checked are dead, but stay at the start of the index until a vacuum.
create index concurrently if not exists published_files_in_scrub_order
  on published_files (organization_id, checked_at, asset_id, prefix);

-- migrate:down

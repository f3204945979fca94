-- migrate:up transaction:false

-- Normally empty.
create index concurrently if not exists published_files_to_repair on published_files (organization_id, repair_due_at)
  where damaged <> '{}' and replaced_by is null;

-- migrate:down

-- migrate:up transaction:false

create unique index concurrently if not exists folders_by_external_id on folders (organization_id, external_id)
  where external_id is not null;

-- migrate:down

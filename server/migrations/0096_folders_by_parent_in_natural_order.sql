-- migrate:up transaction:false

create index concurrently if not exists folders_by_parent_in_natural_order
  on folders (organization_id, parent_uuid, title collate natural_order, uuid);

-- migrate:down

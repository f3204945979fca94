-- migrate:up transaction:false

-- Lists of folders are in the same order of titles as assets. search_title is included, so that a search with many
-- matches is an index-only scan.
create index concurrently if not exists folders_in_natural_order
  on folders (organization_id, title collate natural_order, uuid) include (search_title);

-- migrate:down

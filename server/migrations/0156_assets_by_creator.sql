-- migrate:up transaction:false

-- Lists of principals that see only the assets that they created.
create index concurrently if not exists assets_by_creator on assets (organization_id, created_by, id);

-- migrate:down

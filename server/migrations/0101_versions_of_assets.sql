-- migrate:up transaction:false

-- The versions of an asset, which are deleted with it.
create index concurrently if not exists assets_by_version_of
  on assets (organization_id, version_of) where version_of is not null;

-- migrate:down

-- migrate:up transaction:false

-- Assets whose upload expired or was cancelled. Lists hide them, so the count of all assets subtracts theirs.
create index concurrently if not exists assets_abandoned
  on assets (organization_id, id) where status = 'Cancelled' and bytes is null;

-- migrate:down

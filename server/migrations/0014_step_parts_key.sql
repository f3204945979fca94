-- migrate:up transaction:false

-- Built concurrently, while writes continue; the next migration makes it the primary key.
create unique index concurrently if not exists pipeline_steps_by_part on pipeline_steps (organization_id, asset_id, step, part);

-- migrate:down

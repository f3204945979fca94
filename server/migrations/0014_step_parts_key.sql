-- migrate:up transaction:false

-- Built beside the work that goes on; the next step makes it the key.
create unique index concurrently if not exists pipeline_steps_by_part on pipeline_steps (organization_id, asset_id, step, part);

-- migrate:down

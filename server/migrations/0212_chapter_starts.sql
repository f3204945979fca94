-- migrate:up

-- Two chapters can start in the same second, but not at the same millisecond: see the index chapters_start.
alter table chapters drop constraint chapters_organization_id_asset_id_start_seconds_key;

-- migrate:down

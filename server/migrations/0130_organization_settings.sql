-- migrate:up

-- Settings that the organization changes itself by PATCH organization/. Those with a range have their default for
-- organizations that exist already.
alter table organizations
  -- Resolutions of an upload session that gives none; null if every session must give them.
  add column if not exists default_resolutions text[]
    constraint organizations_default_resolutions_bound check (cardinality(default_resolutions) between 1 and 6),
  add column if not exists trash_days smallint not null default 30
    constraint organizations_trash_days_range check (trash_days between 0 and 365),
  add column if not exists abandoned_days bigint not null default 7
    constraint organizations_abandoned_days_range check (abandoned_days between 0 and 365),
  -- File versions of an asset that are kept, including the active one.
  add column if not exists versions_kept smallint not null default 2
    constraint organizations_versions_kept_range check (versions_kept between 1 and 100);

grant update (
  name, content_protection_type, default_resolutions, trash_days, abandoned_days, versions_kept, embed_origins
) on organizations to reelkeep_api;

-- migrate:down

-- migrate:up

-- Default content protection of an organization's videos.
alter table organizations add column content_protection_type text not null default 'disable'
  constraint organizations_content_protection_type_known check (content_protection_type in ('drm', 'aes', 'disable'));

create table assets (
  organization_id text collate "C" not null,
  -- Version 7: it begins with the time of creation, and lists are ordered by it.
  id uuid not null,
  folder_uuid text collate "C",
  title text collate "C" not null check (char_length(title) between 1 and 255),
  search_title text collate "C" not null,
  grams integer[] not null,
  status text not null default 'Not Started'
    check (status in ('Not Started', 'Queued', 'Processing', 'Completed', 'Error', 'Cancelled')),
  error_code text,
  error_detail text,
  resolutions text[] not null check (cardinality(resolutions) between 1 and 6),
  content_protection_type text not null check (content_protection_type in ('drm', 'aes', 'disable')),
  generate_subtitle boolean not null,
  -- The uploaded file: one version of one object, pinned when the upload is complete. This version is processed, even
  -- if another file is posted to the same key later.
  bytes bigint check (bytes > 0),
  source_key text,
  source_version text,
  source_etag text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (organization_id, id),
  foreign key (organization_id, folder_uuid) references folders (organization_id, uuid),
  check ((status = 'Error') = (error_code is not null and error_detail is not null)),
  check ((bytes is null) = (source_key is null))
);

create index assets_by_folder on assets (organization_id, folder_uuid, id);
-- Without this index, the few failed assets in a folder with a million would be found only by a scan.
create index assets_by_folder_and_status on assets (organization_id, folder_uuid, status, id);
create index assets_by_status on assets (organization_id, status, id);
alter table assets alter column grams set statistics 500;
create index assets_by_gram on assets using gin (grams) with (fastupdate = off);

-- Number of assets of an organization, sharded so that concurrent inserts rarely update the same row.
create table asset_counts (
  organization_id text collate "C" not null,
  slot smallint not null check (slot between 0 and 15),
  asset_count bigint not null,
  primary key (organization_id, slot)
) with (fillfactor = 50);

-- Timeline of an asset after its creation, written in the transaction of each change.
create table asset_happenings (
  organization_id text collate "C" not null,
  asset_id uuid not null,
  number integer not null,
  at timestamptz not null default clock_timestamp(),
  what text not null,
  detail text not null,
  primary key (organization_id, asset_id, number),
  foreign key (organization_id, asset_id) references assets (organization_id, id) on delete cascade
);

alter table assets enable row level security;
alter table assets force row level security;
alter table asset_counts enable row level security;
alter table asset_counts force row level security;
alter table asset_happenings enable row level security;
alter table asset_happenings force row level security;

create policy own_organization on assets to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));

create policy own_organization on asset_counts to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));

create policy own_organization on asset_happenings to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));

create policy administration on assets to reelkeep_owner using (true) with check (true);
create policy administration on asset_counts to reelkeep_owner using (true) with check (true);
create policy administration on asset_happenings to reelkeep_owner using (true) with check (true);

grant select, insert, update, delete on assets, asset_counts, asset_happenings to reelkeep_api;

-- As for folders, a search can use its index only in a view without the policy.
create policy search on assets for select to reelkeep_search using (true);
grant select on assets to reelkeep_search;

create view searchable_assets as
  select organization_id, id, folder_uuid, status, search_title, grams
  from assets
  where organization_id = current_setting('app.organization_id', true);

grant create on schema public to reelkeep_search;
alter view searchable_assets owner to reelkeep_search;
revoke create on schema public from reelkeep_search;

grant select on searchable_assets to reelkeep_api;

-- migrate:down

-- migrate:up

alter table organizations
  -- Number of versions of an asset that are kept, with the one that plays; older ones are deleted.
  add column if not exists versions_kept smallint not null default 2
    constraint organizations_versions_kept_range check (versions_kept between 1 and 100);

-- Each further file of an asset is processed in a row of its own, which is never listed (see docs/decisions/0034). The
-- asset that clients see shows the media of one of its versions: its columns from `bytes` to `storyboard_key` are copies
-- of the columns of that version.
alter table assets
  -- The asset that this row is a version of; null for the assets that clients see.
  add column version_of uuid,
  -- Number of the version that is shown; in a row that is a version, its own number.
  add column version integer not null default 1,
  -- The highest number that a version of this asset has had.
  add column versions_made integer not null default 1,
  -- The row whose media is shown; null if it is this row.
  add column media_id uuid,
  -- While other media is shown: the size of the file of version 1, whose source columns stay; 0 after its deletion.
  add column own_bytes bigint;

alter table assets drop constraint assets_check1;
alter table assets
  add constraint assets_bytes_match_source check (
    case when media_id is null then (bytes is null) = (source_key is null)
    else bytes is not null and (own_bytes > 0) = (source_key is not null) end) not valid,
  add constraint assets_versions_hidden check (version_of is null or not is_listed) not valid,
  add constraint assets_version_of foreign key (organization_id, version_of)
    references assets (organization_id, id) on delete cascade not valid;

create table asset_versions (
  organization_id text collate "C" not null,
  asset_id uuid not null,
  number integer not null check (number > 0),
  -- The row of assets with the media of the version; for version 1, the asset itself.
  media_id uuid not null,
  created_at timestamptz not null default now(),
  -- When the version was shown for the first time. Viewers cannot fetch files of a version before that.
  activated_at timestamptz,
  -- Storage keys of the images of a version that was shown.
  image_keys text[] not null default '{}',
  -- The columns of version 1 while another version is shown.
  saved jsonb,
  primary key (organization_id, asset_id, number),
  foreign key (organization_id, asset_id) references assets (organization_id, id) on delete cascade,
  foreign key (organization_id, media_id) references assets (organization_id, id) on delete cascade
);
create unique index asset_versions_by_media on asset_versions (organization_id, media_id);

alter table asset_versions enable row level security;
alter table asset_versions force row level security;

create policy own_organization on asset_versions to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));
create policy administration on asset_versions to reelkeep_owner using (true) with check (true);

grant select, insert, update, delete on asset_versions to reelkeep_api;

create trigger refuse_while_held before insert or update or delete on asset_versions
  execute function refuse_while_held();

alter table upload_sessions
  -- The asset that clients see, if the session uploads a further version of it.
  add column version_of uuid;

-- An asset that shows other media counts its own file; the version whose media it shows counts that file.
create or replace function count_stored_bytes() returns trigger
language plpgsql as $$
declare
  bytes_before bigint := coalesce((to_jsonb(old) ->> 'own_bytes')::bigint, old.bytes, 0);
  bytes_after bigint := coalesce((to_jsonb(new) ->> 'own_bytes')::bigint, new.bytes, 0);
begin
  if current_setting('app.is_mover', true) is distinct from 'yes' then
    perform public.count_usage(coalesce(new.organization_id, old.organization_id), bytes_after - bytes_before, 0);
  end if;
  return null;
end $$;

-- A version is on hold together with its asset. If the asset is gone, its own hold was checked before.
create or replace function refuse_deletion_on_hold() returns trigger
language plpgsql as $$
declare
  held jsonb := to_jsonb(old);
begin
  if held ->> 'version_of' is not null then
    select to_jsonb(asset) into held from public.assets as asset
    where organization_id = old.organization_id and id = (held ->> 'version_of')::uuid;
    if not found then return old; end if;
  end if;
  if (held ->> 'legal_hold')::boolean then
    perform refuse_legal_hold(case tg_table_name when 'assets' then 'the asset' else 'the folder' end);
  end if;
  perform refuse_legal_hold('folder ' || legal_hold_of(old.organization_id,
    case tg_table_name when 'assets' then held ->> 'folder_uuid' else held ->> 'parent_uuid' end));
  return case tg_op when 'DELETE' then old else new end;
end $$;

-- Deleting the file of version 1 changes the row of its asset.
create trigger refuse_version_deletion_on_hold before update of source_key on assets
  for each row when (old.source_key is not null and new.source_key is null) execute function refuse_deletion_on_hold();

-- migrate:down

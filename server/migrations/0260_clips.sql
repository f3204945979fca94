-- migrate:up

-- The part of a video that a clip shows (docs/decisions/0049). A clip is an asset without a file of its own: it shows
-- frames of the media of another asset, whose row cannot be deleted while clips refer to it.
create table asset_clips (
  organization_id text collate "C" not null,
  asset_id uuid not null,
  -- The row of assets with the media.
  media_id uuid not null,
  -- The asset from which the clip was created, which may be gone.
  parent_id uuid not null,
  -- Frames of the media, counted from 0; the end is exclusive.
  start_frame integer not null check (start_frame >= 0),
  end_frame integer not null check (end_frame > start_frame),
  -- The grid of the media: frames per second, and frames per segment.
  rate_numerator integer not null check (rate_numerator > 0),
  rate_denominator integer not null check (rate_denominator > 0),
  segment_frames integer not null check (segment_frames > 0),
  primary key (organization_id, asset_id),
  foreign key (organization_id, asset_id) references assets (organization_id, id) on delete cascade,
  -- Deferred, so that one statement can delete clips and their media.
  foreign key (organization_id, media_id) references assets (organization_id, id) deferrable initially deferred
);
create index asset_clips_by_media on asset_clips (organization_id, media_id);

-- The part of a video that an asset shows instead of the whole. Each version of an asset has a trim of its own.
create table asset_trims (
  organization_id text collate "C" not null,
  asset_id uuid not null,
  -- The row of assets with the media of the version.
  media_id uuid not null,
  -- Frames of the media, counted from 0; the end is exclusive.
  start_frame integer not null check (start_frame >= 0),
  end_frame integer not null check (end_frame > start_frame),
  -- The frames that the asset shows without the trim: a clip does not start with the first one.
  whole_start_frame integer not null check (whole_start_frame between 0 and start_frame),
  whole_end_frame integer not null check (whole_end_frame >= end_frame),
  rate_numerator integer not null check (rate_numerator > 0),
  rate_denominator integer not null check (rate_denominator > 0),
  segment_frames integer not null check (segment_frames > 0),
  primary key (organization_id, asset_id, media_id),
  foreign key (organization_id, asset_id) references assets (organization_id, id) on delete cascade,
  foreign key (organization_id, media_id) references assets (organization_id, id) on delete cascade
);
create index asset_trims_by_media on asset_trims (organization_id, media_id);

alter table asset_clips enable row level security;
alter table asset_clips force row level security;
alter table asset_trims enable row level security;
alter table asset_trims force row level security;

create policy own_organization on asset_clips to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));
create policy own_organization on asset_trims to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));
create policy administration on asset_clips to reelkeep_owner using (true) with check (true);
create policy administration on asset_trims to reelkeep_owner using (true) with check (true);

grant select, insert, update, delete on asset_clips, asset_trims to reelkeep_api;

create trigger refuse_while_held before insert or update or delete on asset_clips
  execute function refuse_while_held();
create trigger refuse_while_held before insert or update or delete on asset_trims
  execute function refuse_while_held();

alter table assets
  -- When the asset, or the asset that this row was a version of, was purged while clips referred to its media. Nothing
  -- but the media is left.
  add column retained_at timestamptz;
alter table assets
  add constraint assets_retained_hidden
    check (retained_at is null or not is_listed and deleted_at is null and version_of is null) not valid;

-- To retain the media is to delete the asset.
create trigger refuse_retention_on_hold before update of retained_at on assets
  for each row when (old.retained_at is null and new.retained_at is not null) execute function refuse_deletion_on_hold();

-- migrate:down

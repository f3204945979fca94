-- migrate:up

-- Encoding results that are part of the asset in the API.
alter table assets
  -- Time since which the beginning of the video can be played.
  add column playable_at timestamptz,
  add column cover_key text,
  add column thumbnail_keys text[] not null default '{}',
  add column storyboard_key text;

-- The encoding plan of a video, decided before encoding starts.
create table asset_plans (
  organization_id text collate "C" not null,
  asset_id uuid not null,
  plan jsonb not null,
  primary key (organization_id, asset_id),
  foreign key (organization_id, asset_id) references assets (organization_id, id) on delete cascade
);

-- Video renditions by size, and the audio as a separate rendition ("audio").
create table renditions (
  organization_id text collate "C" not null,
  asset_id uuid not null,
  name text collate "C" not null,
  -- Null for audio.
  width integer,
  height integer,
  bitrate_max integer not null,
  segments_total integer not null check (segments_total > 0),
  -- Updated when parts are published.
  segments_done integer not null default 0,
  bytes bigint not null default 0,
  -- Set with the first part: the codecs, and the start of every segment.
  codecs text,
  init_key text,
  init_hash bytea,
  primary key (organization_id, asset_id, name),
  foreign key (organization_id, asset_id) references assets (organization_id, id) on delete cascade,
  check (segments_done between 0 and segments_total)
-- The counters are not indexed, so updates stay in the same page (HOT updates).
) with (fillfactor = 70);

-- Segments that one attempt encoded and published. Segments with a row here can be played.
create table rendition_parts (
  organization_id text collate "C" not null,
  asset_id uuid not null,
  rendition text collate "C" not null,
  first_segment integer not null check (first_segment >= 0),
  -- Common prefix of the segments' storage keys.
  prefix text not null,
  -- The segments in order: [{seconds, bytes, keyframes: [{offset, bytes, seconds}]}].
  segments jsonb not null,
  primary key (organization_id, asset_id, rendition, first_segment),
  foreign key (organization_id, asset_id, rendition)
    references renditions (organization_id, asset_id, name) on delete cascade
);

alter table asset_plans enable row level security;
alter table asset_plans force row level security;
alter table renditions enable row level security;
alter table renditions force row level security;
alter table rendition_parts enable row level security;
alter table rendition_parts force row level security;

create policy own_organization on asset_plans to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));
create policy own_organization on renditions to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));
create policy own_organization on rendition_parts to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));

create policy administration on asset_plans to reelkeep_owner using (true) with check (true);
create policy administration on renditions to reelkeep_owner using (true) with check (true);
create policy administration on rendition_parts to reelkeep_owner using (true) with check (true);

grant select, insert, update, delete on asset_plans, renditions, rendition_parts to reelkeep_api;

-- migrate:down

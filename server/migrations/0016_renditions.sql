-- migrate:up

-- What has been made of the video, as far as callers see it with the asset.
alter table assets
  -- Since when its beginning can be played.
  add column playable_at timestamptz,
  add column cover_key text,
  add column thumbnail_keys text[] not null default '{}',
  add column storyboard_key text;

-- What is made of a video, decided before anything is.
create table asset_plans (
  organization_id text collate "C" not null,
  asset_id uuid not null,
  plan jsonb not null,
  primary key (organization_id, asset_id),
  foreign key (organization_id, asset_id) references assets (organization_id, id) on delete cascade
);

-- The pictures in their sizes, and the sound as one of its own ("audio").
create table renditions (
  organization_id text collate "C" not null,
  asset_id uuid not null,
  name text collate "C" not null,
  -- Null of the sound.
  width integer,
  height integer,
  bitrate_max integer not null,
  segments_total integer not null check (segments_total > 0),
  -- Counted with the parts that are published.
  segments_done integer not null default 0,
  bytes bigint not null default 0,
  -- Known with the first part: what a player must be able to decode, and where the beginning of every segment lies.
  codecs text,
  init_key text,
  init_hash bytea,
  primary key (organization_id, asset_id, name),
  foreign key (organization_id, asset_id) references assets (organization_id, id) on delete cascade,
  check (segments_done between 0 and segments_total)
-- The counts change no index.
) with (fillfactor = 70);

-- Segments that one attempt made and published. That they can be played is this row.
create table rendition_parts (
  organization_id text collate "C" not null,
  asset_id uuid not null,
  rendition text collate "C" not null,
  first_segment integer not null check (first_segment >= 0),
  -- Of all their names in storage.
  prefix text not null,
  -- In their order: [{seconds, bytes, keyframes: [{offset, bytes, seconds}]}].
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

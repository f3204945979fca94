-- migrate:up

-- Subtitle tracks of a video. The text is in storage; a track is visible if it has a row here.
create table subtitle_tracks (
  organization_id text collate "C" not null,
  asset_id uuid not null,
  -- Version 7, so that ids sort by creation.
  id uuid not null,
  -- Language tag (BCP 47).
  language text collate "C" not null check (char_length(language) between 1 and 100),
  label text collate "C" not null check (char_length(label) between 1 and 255),
  origin text collate "C" not null check (origin in ('uploaded', 'generated', 'carried')),
  -- Storage key of the WebVTT file.
  storage_key text not null,
  created_at timestamptz not null default now(),
  primary key (organization_id, asset_id, id),
  foreign key (organization_id, asset_id) references assets (organization_id, id) on delete cascade
);

alter table subtitle_tracks enable row level security;
alter table subtitle_tracks force row level security;

create policy own_organization on subtitle_tracks to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));

create policy administration on subtitle_tracks to reelkeep_owner using (true) with check (true);

grant select, insert, update, delete on subtitle_tracks to reelkeep_api;

-- migrate:down

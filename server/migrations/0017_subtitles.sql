-- migrate:up

-- Subtitles of a video. Their text lies in storage; that they can be seen is this row.
create table subtitle_tracks (
  organization_id text collate "C" not null,
  asset_id uuid not null,
  -- Version 7, so that it is the order in which they came.
  id uuid not null,
  -- BCP 47.
  language text collate "C" not null check (char_length(language) between 1 and 100),
  label text collate "C" not null check (char_length(label) between 1 and 255),
  origin text collate "C" not null check (origin in ('uploaded', 'generated', 'carried')),
  -- Of the WebVTT file.
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

-- migrate:up

-- The version of the text that the track shows.
alter table subtitle_tracks add column version integer not null default 1;

-- The texts of a subtitle track that was replaced, with the one that it shows. A track that was never replaced has no
-- rows here: its only version is the track itself.
create table subtitle_versions (
  organization_id text collate "C" not null,
  asset_id uuid not null,
  subtitle_id uuid not null,
  number integer not null check (number >= 1),
  origin text collate "C" not null check (origin in ('uploaded', 'generated', 'embedded')),
  -- Storage key of the WebVTT file, which belongs to the asset and not to a step.
  storage_key text not null,
  -- Storage key of the file of a step, of which the file is a copy. Viewers with an older playlist request it.
  produced_key text,
  last_cue_seconds double precision,
  created_at timestamptz not null default now(),
  primary key (organization_id, asset_id, subtitle_id, number),
  foreign key (organization_id, asset_id, subtitle_id)
    references subtitle_tracks (organization_id, asset_id, id) on delete cascade
);

alter table subtitle_versions enable row level security;
alter table subtitle_versions force row level security;

create policy own_organization on subtitle_versions to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));
create policy administration on subtitle_versions to reelkeep_owner using (true) with check (true);

grant select, insert, update, delete on subtitle_versions to reelkeep_api;

create trigger refuse_while_held before insert or update or delete on subtitle_versions
  execute function refuse_while_held();

-- migrate:down

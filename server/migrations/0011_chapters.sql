-- migrate:up

-- One row per asset that has or had chapters. A transaction that changes chapters locks it, so that changes are
-- serialized.
create table chapter_sets (
  organization_id text collate "C" not null,
  asset_id uuid not null,
  -- The highest number that a chapter of this asset ever had; numbers are not reused.
  last_id integer not null default 0 check (last_id >= 0),
  primary key (organization_id, asset_id),
  foreign key (organization_id, asset_id) references assets (organization_id, id) on delete cascade
) with (fillfactor = 50);

create table chapters (
  organization_id text collate "C" not null,
  asset_id uuid not null,
  id integer not null check (id > 0),
  -- At most 99:59:59, the maximum of the format HH:MM:SS.
  start_seconds integer not null check (start_seconds between 0 and 359999),
  title text collate "C" not null check (char_length(title) between 1 and 255),
  primary key (organization_id, asset_id, id),
  -- The order of the list; also ensures that no two chapters start at the same second.
  unique (organization_id, asset_id, start_seconds),
  foreign key (organization_id, asset_id) references chapter_sets (organization_id, asset_id) on delete cascade
);

alter table chapter_sets enable row level security;
alter table chapter_sets force row level security;
alter table chapters enable row level security;
alter table chapters force row level security;

create policy own_organization on chapter_sets to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));

create policy own_organization on chapters to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));

create policy administration on chapter_sets to reelkeep_owner using (true) with check (true);
create policy administration on chapters to reelkeep_owner using (true) with check (true);

grant select, insert, update, delete on chapter_sets, chapters to reelkeep_api;

-- migrate:down

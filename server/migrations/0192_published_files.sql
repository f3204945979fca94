-- migrate:up

-- Size and checksum of every published file in the media bucket, computed from the bytes that were sent. A row lists
-- the files that one attempt at a step stored under its prefix, so a video of two hours has about 200 rows.
create table published_files (
  organization_id text collate "C" not null,
  asset_id uuid not null,
  -- Common prefix of the storage keys. A file that a client added has a row of its own: its key and an empty name.
  prefix text collate "C" not null,
  -- The step and part that stored the files; null for files that clients added.
  step text collate "C",
  part text collate "C",
  names text[] not null,
  bytes bigint[] not null,
  -- The MD5 hashes, 16 bytes each, in the order of the names.
  md5 bytea not null,
  primary key (organization_id, asset_id, prefix),
  foreign key (organization_id, asset_id) references assets (organization_id, id) on delete cascade,
  check (cardinality(bytes) = cardinality(names) and octet_length(md5) = 16 * cardinality(names))
);

alter table published_files enable row level security;
alter table published_files force row level security;

create policy own_organization on published_files to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));
create policy administration on published_files to reelkeep_owner using (true) with check (true);

grant select, insert, update, delete on published_files to reelkeep_api;

create trigger refuse_while_held before insert or update or delete on published_files
  execute function refuse_while_held();

-- migrate:down

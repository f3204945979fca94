-- migrate:up

-- The key provider of a video with common encryption, and what its manifests contain about the keys. Written before the
-- first segment and never changed. The keys themselves are not stored: they are derived, or requested from the provider
-- again, and verified by their fingerprint.
create table asset_drm (
  organization_id text collate "C" not null,
  asset_id uuid not null,
  provider text not null check (provider in ('clearkey', 'speke')),
  scheme text not null check (scheme in ('cbcs', 'cenc')),
  pssh jsonb not null,
  signalling jsonb not null,
  fingerprint text not null check (char_length(fingerprint) = 64),
  primary key (organization_id, asset_id),
  foreign key (organization_id, asset_id) references assets (organization_id, id) on delete cascade
);

alter table asset_drm enable row level security;
alter table asset_drm force row level security;

create policy own_organization on asset_drm to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));
create policy administration on asset_drm to reelkeep_owner using (true) with check (true);

-- The API serves videos and reads this table. Workers encode videos and write it.
grant select on asset_drm to reelkeep_api;
grant insert on asset_drm to reelkeep_worker;

-- migrate:down

-- migrate:up

-- The secret from which all keys of an organization's protected videos are derived. It is stored wrapped with a key
-- that is in no database, so this table alone does not reveal it.
create table organization_master_keys (
  organization_id text collate "C" not null references organizations (id),
  -- A rotation adds a generation; existing videos keep theirs.
  generation integer not null check (generation between 1 and 10000),
  -- Id of the operator's key that wraps the secret.
  key_encryption_id text collate "C" not null check (char_length(key_encryption_id) between 1 and 32),
  -- AES-256-GCM: 12 bytes nonce, 32 bytes key, 16 bytes tag.
  wrapped bytea not null check (octet_length(wrapped) = 60),
  created_at timestamptz not null default now(),
  primary key (organization_id, generation)
);

-- The generation that protects a video. Written before the first segment and never changed, so that all segments of a
-- video use the same generation.
create table asset_protections (
  organization_id text collate "C" not null,
  asset_id uuid not null,
  generation integer not null,
  primary key (organization_id, asset_id),
  foreign key (organization_id, asset_id) references assets (organization_id, id) on delete cascade,
  foreign key (organization_id, generation) references organization_master_keys (organization_id, generation)
);

alter table organization_master_keys enable row level security;
alter table organization_master_keys force row level security;
alter table asset_protections enable row level security;
alter table asset_protections force row level security;

create policy own_organization on organization_master_keys to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));
create policy own_organization on asset_protections to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));

create policy administration on organization_master_keys to reelkeep_owner using (true) with check (true);
create policy administration on asset_protections to reelkeep_owner using (true) with check (true);

-- The API serves videos and reads keys. Workers encode videos and create keys. Only the operator changes or deletes
-- keys.
grant select on organization_master_keys, asset_protections to reelkeep_api;
grant insert on organization_master_keys, asset_protections to reelkeep_worker;

-- migrate:down

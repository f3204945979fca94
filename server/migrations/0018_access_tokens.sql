-- migrate:up

-- Whether videos without content protection can be watched without a token.
alter table organizations add column is_open boolean not null default false;

-- Issued playback tokens. The token itself is signed and not stored.
create table access_tokens (
  organization_id text collate "C" not null,
  asset_id uuid not null,
  -- Version 7, so that ids sort by creation.
  id uuid not null,
  viewer_id text check (char_length(viewer_id) between 1 and 128),
  is_single_use boolean not null,
  referrers text[] not null check (cardinality(referrers) <= 20),
  networks text[] not null check (cardinality(networks) <= 20),
  watermark text check (char_length(watermark) between 1 and 100),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  primary key (organization_id, asset_id, id),
  foreign key (organization_id, asset_id) references assets (organization_id, id) on delete cascade
);

-- Every instance polls the revoked tokens that have not expired.
create index access_tokens_revoked on access_tokens (organization_id, expires_at) where revoked_at is not null;
create index access_tokens_expired on access_tokens (organization_id, expires_at);

alter table access_tokens enable row level security;
alter table access_tokens force row level security;

create policy own_organization on access_tokens to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));

create policy administration on access_tokens to reelkeep_owner using (true) with check (true);

grant select, insert, update, delete on access_tokens to reelkeep_api;

-- Public keys of organizations that sign playback tokens themselves. The private key is shown once and never stored.
create table signing_keys (
  organization_id text collate "C" not null references organizations (id),
  id uuid not null,
  name text not null check (char_length(name) between 1 and 255),
  -- Ed25519 public key.
  public_key bytea not null check (octet_length(public_key) = 32),
  created_at timestamptz not null default now(),
  primary key (organization_id, id)
);

alter table signing_keys enable row level security;
alter table signing_keys force row level security;

create policy own_organization on signing_keys to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));

create policy administration on signing_keys to reelkeep_owner using (true) with check (true);

grant select, insert, update, delete on signing_keys to reelkeep_api;

-- Single-use tokens that have been used, whether the service or the organization signed them.
create table spent_passes (
  organization_id text collate "C" not null references organizations (id),
  -- The `jti` claim of the token.
  jti text collate "C" not null check (char_length(jti) between 1 and 64),
  spent_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (organization_id, jti)
);

create index spent_passes_expired on spent_passes (organization_id, expires_at);

alter table spent_passes enable row level security;
alter table spent_passes force row level security;

create policy own_organization on spent_passes to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));

create policy administration on spent_passes to reelkeep_owner using (true) with check (true);

grant select, insert, update, delete on spent_passes to reelkeep_api;

-- migrate:down

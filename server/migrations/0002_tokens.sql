-- migrate:up

create table tokens (
  organization_id text collate "C" not null references organizations (id),
  id uuid not null,
  name text not null check (char_length(name) between 1 and 255),
  -- SHA-256 of the whole token. The secret has 190 random bits, so a slow hash would add no security.
  token_hash bytea not null check (octet_length(token_hash) = 32),
  scopes text[] not null check (cardinality(scopes) between 1 and 100),
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  -- Time at which a rotation ends the validity of the token. The new token keeps the full expires_at.
  retires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  primary key (organization_id, id),
  unique (organization_id, token_hash)
);

alter table tokens enable row level security;
alter table tokens force row level security;

create policy own_organization on tokens to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));

create policy administration on tokens to reelkeep_owner using (true) with check (true);

grant select, insert, update, delete on tokens to reelkeep_api;

-- migrate:down

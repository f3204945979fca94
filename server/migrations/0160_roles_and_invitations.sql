-- migrate:up

-- Custom roles: named sets of scopes. The built-in roles are constants of the contract.
create table roles (
  organization_id text collate "C" not null,
  id uuid not null,
  name text not null check (char_length(name) between 1 and 255),
  description text not null default '' check (char_length(description) <= 255),
  scopes text[] not null check (cardinality(scopes) between 1 and 100),
  created_by uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (organization_id, id)
);

-- Open invitations. A row is deleted when its link is used or revoked; expired rows are deleted later.
create table invitations (
  organization_id text collate "C" not null,
  id uuid not null,
  -- SHA-256 of the secret in the link.
  secret_hash bytea not null check (octet_length(secret_hash) = 32),
  email text not null check (char_length(email) between 3 and 320),
  role text collate "C" not null check (char_length(role) between 1 and 64),
  folder_uuid text collate "C",
  -- Null for an invitation by an admin command.
  created_by uuid,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  primary key (organization_id, id)
);
create unique index invitations_by_secret on invitations (organization_id, secret_hash);
create index invitations_by_expiry on invitations (organization_id, expires_at);

-- One-time links with which members set a new password or passkey, at most one for each member.
create table recovery_links (
  organization_id text collate "C" not null,
  member_id uuid not null,
  secret_hash bytea not null check (octet_length(secret_hash) = 32),
  -- Null for a link by an admin command.
  created_by uuid,
  expires_at timestamptz not null,
  primary key (organization_id, member_id),
  foreign key (organization_id, member_id) references members (organization_id, id)
);
create unique index recovery_links_by_secret on recovery_links (organization_id, secret_hash);

alter table roles enable row level security;
alter table roles force row level security;
alter table invitations enable row level security;
alter table invitations force row level security;
alter table recovery_links enable row level security;
alter table recovery_links force row level security;

create policy own_organization on roles to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));
create policy own_organization on invitations to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));
create policy own_organization on recovery_links to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));
create policy administration on roles to reelkeep_owner using (true) with check (true);
create policy administration on invitations to reelkeep_owner using (true) with check (true);
create policy administration on recovery_links to reelkeep_owner using (true) with check (true);

grant select, insert, update, delete on roles, invitations, recovery_links to reelkeep_api;

create trigger refuse_while_held before insert or update or delete on roles
  execute function refuse_while_held();
create trigger refuse_while_held before insert or update or delete on invitations
  execute function refuse_while_held();
create trigger refuse_while_held before insert or update or delete on recovery_links
  execute function refuse_while_held();

-- Whether a person is also a member of another organization. Only then does a recovery link of the organization give
-- access to more than the organization.
create function people.belongs_elsewhere(organization text, by_issuer text, by_subject text) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select exists (
    select from public.members
    where issuer = by_issuer and subject = by_subject and removed_at is null and organization_id <> organization
  )
$$;
revoke execute on function people.belongs_elsewhere(text, text, text) from public;
grant execute on function people.belongs_elsewhere(text, text, text) to reelkeep_api;

-- migrate:down

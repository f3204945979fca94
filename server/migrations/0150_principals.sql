-- migrate:up

-- The table contains all principals: tokens, and the members of the organization, who have sessions instead of a token.
alter table tokens
  add column kind text not null default 'token',
  -- The principal sees and changes only this folder and everything below it.
  add column folder_uuid text collate "C",
  -- The principal sees and changes only the assets and upload sessions that it created.
  add column own_only boolean not null default false;
alter table tokens add constraint tokens_kind check (kind in ('token', 'member')) not valid;
-- A member has no token. Earlier versions only look tokens up by their hash.
-- squawk-ignore ban-drop-not-null
alter table tokens alter column token_hash drop not null;
alter table tokens add constraint tokens_hash check ((kind = 'token') = (token_hash is not null)) not valid;

-- Signing keys have a scope of their own. Tokens that could create them before can still create them.
update tokens set scopes = scopes || '{keys:write}'
where scopes @> '{tokens:write,playback:write}' and not scopes @> '{keys:write}';

-- The people who belong to an organization. Name, scopes and limits are in the row of `tokens` with the same id.
create table members (
  organization_id text collate "C" not null,
  id uuid not null,
  -- A person is identified by the identity provider and the id there; the issuer of local accounts is `local`.
  issuer text collate "C" not null check (char_length(issuer) between 1 and 500),
  subject text collate "C" not null check (char_length(subject) between 1 and 500),
  email text check (char_length(email) between 3 and 320),
  role text collate "C" not null check (char_length(role) between 1 and 64),
  joined_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Set when the member was removed; the row stays, because other rows name it as their creator.
  removed_at timestamptz,
  primary key (organization_id, id),
  foreign key (organization_id, id) references tokens (organization_id, id)
);
create unique index members_by_person on members (organization_id, issuer, subject) where removed_at is null;
create index members_by_role on members (organization_id, role) where removed_at is null;

alter table members enable row level security;
alter table members force row level security;
create policy own_organization on members to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));
create policy administration on members to reelkeep_owner using (true) with check (true);
grant select, insert, update, delete on members to reelkeep_api;

create trigger refuse_while_held before insert or update or delete on members
  execute function refuse_while_held();

-- migrate:down

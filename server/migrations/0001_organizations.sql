-- migrate:up

-- The organization id is the first column of every key of every table, so that any cell can host an organization.
-- `app.organization_id` is set for one transaction at a time; if it is not set, no policy allows access.
create table organizations (
  id text collate "C" primary key check (id ~ '^[a-z0-9]{6,12}$'),
  name text not null check (char_length(name) between 1 and 255),
  created_at timestamptz not null default now()
);

alter table organizations enable row level security;
alter table organizations force row level security;

create policy own_organization on organizations to reelkeep_api
  using (id = current_setting('app.organization_id', true))
  with check (id = current_setting('app.organization_id', true));

-- The admin commands list organizations; they run as the owner.
create policy administration on organizations to reelkeep_owner using (true) with check (true);

grant select on organizations to reelkeep_api;

-- The service reports ready only if the database has all migrations of its release.
grant select on schema_migrations to reelkeep_api;

-- migrate:down

-- migrate:up

-- The organization id leads every key of every table, so that an organization can live in any cell.
-- `app.organization_id` is set for one transaction at a time; unset, every policy fails closed.
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

-- The administrator's command line lists organizations; it runs as the owner.
create policy administration on organizations to reelkeep_owner using (true) with check (true);

grant select on organizations to reelkeep_api;

-- The service asks whether the database is as new as itself before it says that it is ready.
grant select on schema_migrations to reelkeep_api;

-- migrate:down

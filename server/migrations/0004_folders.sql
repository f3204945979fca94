-- migrate:up

-- No foreign key to organizations: each insert would lock the single row of the organization. The policy below already
-- binds every row to the organization of an authenticated caller.
create table folders (
  organization_id text collate "C" not null,
  uuid text collate "C" not null check (char_length(uuid) = 11),
  parent_uuid text collate "C",
  title text collate "C" not null check (char_length(title) between 1 and 255),
  -- The title without case and accents, for searches. Titles and search terms are folded by the application.
  search_title text collate "C" not null,
  -- Hashes of the organization with each 2- and 3-gram of search_title: see kernel/search-text.ts.
  grams integer[] not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (organization_id, uuid),
  foreign key (organization_id, parent_uuid) references folders (organization_id, uuid),
  check (parent_uuid <> uuid)
);

-- Includes search_title, so that a search with many matches is an index-only scan.
create index folders_by_title on folders (organization_id, title, uuid) include (search_title);
create index folders_by_parent on folders (organization_id, parent_uuid, title, uuid);

-- The plan of a search depends on the frequency of its grams; the default sample contains too few of them.
alter table folders alter column grams set statistics 500;
create index folders_by_gram on folders using gin (grams) with (fastupdate = off);

-- Number of folders of an organization, in total and at the root, sharded so that concurrent inserts rarely update the
-- same row.
create table folder_counts (
  organization_id text collate "C" not null,
  slot smallint not null check (slot between 0 and 15),
  folder_count bigint not null,
  -- Folders at the root, the list that an organization without a folder tree reads.
  root_count bigint not null,
  primary key (organization_id, slot)
) with (fillfactor = 50);

alter table folders enable row level security;
alter table folders force row level security;
alter table folder_counts enable row level security;
alter table folder_counts force row level security;

create policy own_organization on folders to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));

create policy own_organization on folder_counts to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));

grant select, insert, update, delete on folders, folder_counts to reelkeep_api;

create policy administration on folders to reelkeep_owner using (true) with check (true);
create policy administration on folder_counts to reelkeep_owner using (true) with check (true);

-- Under row-level security, Postgres cannot use an index for an operator that is not leakproof, and no text search
-- operator is. This view returns the same rows as the policy, by its own condition, so that a search can use
-- folders_by_gram and still reads only one organization.
create policy search on folders for select to reelkeep_search using (true);
grant select on folders to reelkeep_search;

create view searchable_folders as
  select organization_id, uuid, parent_uuid, title, search_title, grams
  from folders
  where organization_id = current_setting('app.organization_id', true);

grant create on schema public to reelkeep_search;
alter view searchable_folders owner to reelkeep_search;
revoke create on schema public from reelkeep_search;

grant select on searchable_folders to reelkeep_api;

-- migrate:down

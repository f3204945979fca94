-- migrate:up

alter table organizations
  -- Days after which deleted assets and folders are purged; 0 purges at once.
  add column if not exists trash_days smallint not null default 30
    constraint organizations_trash_days_range check (trash_days between 0 and 365);

alter table assets
  -- False if lists and requests do not find the asset, for example because it is in the trash.
  add column is_listed boolean not null default true,
  -- The time when the asset was moved to the trash, and the time when it is purged.
  add column deleted_at timestamptz,
  add column purge_at timestamptz,
  -- The deleted folder that the asset belongs to: both are restored and purged together.
  add column deleted_with text collate "C",
  -- While it is true, the asset cannot be deleted.
  add column legal_hold boolean not null default false;
alter table assets
  add constraint assets_trash_times check ((deleted_at is null) = (purge_at is null)) not valid,
  add constraint assets_trash_hidden check (deleted_at is null or not is_listed) not valid;

-- False if the asset is in the trash.
alter table upload_sessions add column is_listed boolean not null default true;

alter table folders
  add column deleted_at timestamptz,
  add column purge_at timestamptz,
  -- The folder whose deletion has deleted this one; its own uuid if the request named it.
  add column deleted_with text collate "C",
  -- While it is true, neither the folder nor anything below it can be deleted.
  add column legal_hold boolean not null default false;
alter table folders
  add constraint folders_trash_times check ((deleted_at is null) = (purge_at is null)) not valid,
  add constraint folders_trash_root check ((deleted_at is null) = (deleted_with is null)) not valid;

-- Requests do not see the trash: they set `app.hides_trash`. Workers and maintenance see it, because the files of a
-- deleted asset must stay in storage.
create policy hide_trash on assets as restrictive to reelkeep_api
  using (is_listed or current_setting('app.hides_trash', true) is distinct from 'yes') with check (true);
create policy hide_trash on folders as restrictive to reelkeep_api
  using (deleted_at is null or current_setting('app.hides_trash', true) is distinct from 'yes') with check (true);
create policy hide_trash on upload_sessions as restrictive to reelkeep_api
  using (is_listed or current_setting('app.hides_trash', true) is distinct from 'yes') with check (true);

create or replace view searchable_assets as
  select organization_id, id, folder_uuid, status, search_title, grams, title, external_id, bytes, duration_seconds,
    created_at, updated_at, is_listed
  from assets
  where organization_id = current_setting('app.organization_id', true) and is_listed;

create or replace view searchable_folders as
  select organization_id, uuid, parent_uuid, title, search_title, grams
  from folders
  where organization_id = current_setting('app.organization_id', true) and deleted_at is null;

-- The organizations with assets or folders to purge.
create policy sweep on assets for select to reelkeep_sweep using (true);
create policy sweep on folders for select to reelkeep_sweep using (true);
grant select on assets, folders to reelkeep_sweep;

create view organizations_with_due_trash as
  select organization_id from (
    select organization_id from assets where purge_at <= now()
    union
    select organization_id from folders where purge_at <= now()
  ) as due
  where not exists (select from held_organizations held where held.organization_id = due.organization_id);

grant create on schema public to reelkeep_sweep;
alter view organizations_with_due_trash owner to reelkeep_sweep;
revoke create on schema public from reelkeep_sweep;

grant select on organizations_with_due_trash to reelkeep_worker;

-- migrate:down

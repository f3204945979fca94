-- migrate:up

-- A limited principal sees and changes only a part of its organization: a folder with everything below it, or what it
-- created itself. Its requests set `app.is_limited`, `app.folder_uuid` and `app.created_by`; `*` means any folder or any
-- creator. A setting that is missing matches nothing. See docs/decisions/0040-principals-and-limits.md.

-- Whether this folder is the one of the limit or below it. If the folder of the limit was deleted, nothing is inside,
-- not even the trash. The functions read folders that the principal does not see, as the role of the searches.
create function place_in_limits(organization text, folder text) returns boolean
language plpgsql stable parallel safe security definer cost 1 set search_path = pg_catalog, pg_temp as $$
declare
  top constant text := current_setting('app.folder_uuid', true);
  place text := folder;
begin
  if top = '*' then return true; end if;
  while place is not null loop
    if place = top then
      perform from public.folders where organization_id = organization and uuid = top and deleted_at is null;
      return found;
    end if;
    select parent_uuid into place from public.folders where organization_id = organization and uuid = place;
  end loop;
  return false;
end $$;

-- All of these folders at once, for lists.
create function folders_in_limits() returns setof text
language sql stable parallel safe security definer cost 1 rows 100 set search_path = pg_catalog, pg_temp as $$
  with recursive inside as (
    select uuid from public.folders
    where organization_id = current_setting('app.organization_id', true)
      and uuid = current_setting('app.folder_uuid', true) and deleted_at is null
    union all
    select child.uuid from inside join public.folders as child
      on child.organization_id = current_setting('app.organization_id', true) and child.parent_uuid = inside.uuid
  )
  select uuid from inside
$$;

-- For rows that belong to an asset: its versions and upload sessions.
create function asset_in_limits(organization text, asset uuid) returns boolean
language plpgsql stable parallel safe security definer cost 1 set search_path = pg_catalog, pg_temp as $$
declare
  place text;
  creator text;
begin
  select folder_uuid, created_by into place, creator from public.assets
  where organization_id = organization and id = asset;
  return found and current_setting('app.created_by', true) in ('*', coalesce(creator, ''))
    and public.place_in_limits(organization, place);
end $$;

-- A deletion is also refused if the folder on hold is above the folder of the limit.
alter function legal_hold_of(text, text) security definer set search_path = pg_catalog, pg_temp;

grant create on schema public to reelkeep_search;
alter function place_in_limits(text, text) owner to reelkeep_search;
alter function folders_in_limits() owner to reelkeep_search;
alter function asset_in_limits(text, uuid) owner to reelkeep_search;
alter function legal_hold_of(text, text) owner to reelkeep_search;
revoke create on schema public from reelkeep_search;

-- The first condition is true for the requests of all other principals, and is evaluated once per statement. It is
-- written so that Postgres expects it to be true for nearly all rows, and plans as without the policy.
create policy inside_limits on folders as restrictive to reelkeep_api
  using ((select current_setting('app.is_limited', true)) is distinct from 'yes' or place_in_limits(
    organization_id, case when uuid = current_setting('app.folder_uuid', true) then uuid else parent_uuid end))
  -- The folder of the limit cannot be changed, because its parent is outside.
  with check ((select current_setting('app.is_limited', true)) is distinct from 'yes'
    or place_in_limits(organization_id, parent_uuid));
create policy inside_limits on assets as restrictive to reelkeep_api
  using ((select current_setting('app.is_limited', true)) is distinct from 'yes'
    or case when version_of is null
      then current_setting('app.created_by', true) in ('*', coalesce(created_by::text, ''))
        and place_in_limits(organization_id, folder_uuid)
      else asset_in_limits(organization_id, version_of) end);
create policy inside_limits on upload_sessions as restrictive to reelkeep_api
  using ((select current_setting('app.is_limited', true)) is distinct from 'yes'
    or asset_in_limits(organization_id, coalesce(version_of, asset_id)));

-- A principal creates, changes and revokes only principals that are limited like itself or more.
create policy inside_limits_insert on tokens as restrictive for insert to reelkeep_api
  with check ((select current_setting('app.is_limited', true)) is distinct from 'yes'
    or (current_setting('app.created_by', true) = '*' or own_only) and place_in_limits(organization_id, folder_uuid));
create policy inside_limits_update on tokens as restrictive for update to reelkeep_api
  using ((select current_setting('app.is_limited', true)) is distinct from 'yes'
    or (current_setting('app.created_by', true) = '*' or own_only)
      and (folder_uuid = current_setting('app.folder_uuid', true) or place_in_limits(organization_id, folder_uuid)));
create policy inside_limits_delete on tokens as restrictive for delete to reelkeep_api
  using ((select current_setting('app.is_limited', true)) is distinct from 'yes'
    or (current_setting('app.created_by', true) = '*' or own_only) and place_in_limits(organization_id, folder_uuid));

-- A bulk operation has the limits of its creator, also when it runs.
alter table bulk_operations
  add column limit_folder_uuid text collate "C",
  add column limit_created_by uuid;
create policy inside_limits on bulk_operations as restrictive to reelkeep_api
  using ((select current_setting('app.is_limited', true)) is distinct from 'yes'
    or current_setting('app.created_by', true) in ('*', coalesce(created_by::text, ''))
      and (limit_folder_uuid = current_setting('app.folder_uuid', true)
        or place_in_limits(organization_id, limit_folder_uuid)));

-- The policies do not apply to views, which have the same conditions.
create or replace view searchable_assets as
  select organization_id, id, folder_uuid, status, search_title, grams, title, external_id, bytes, duration_seconds,
    created_at, updated_at, is_listed, created_by
  from assets
  where organization_id = current_setting('app.organization_id', true) and is_listed
    and ((select current_setting('app.is_limited', true)) is distinct from 'yes'
      or current_setting('app.created_by', true) in ('*', coalesce(created_by::text, ''))
        and (current_setting('app.folder_uuid', true) = '*' or folder_uuid in (select folders_in_limits())));

create or replace view searchable_folders as
  select organization_id, uuid, parent_uuid, title, search_title, grams
  from folders
  where organization_id = current_setting('app.organization_id', true) and deleted_at is null
    and ((select current_setting('app.is_limited', true)) is distinct from 'yes'
      or current_setting('app.folder_uuid', true) = '*' or uuid in (select folders_in_limits()));

-- The upload sessions that a limited principal sees: their assets are tested together instead of one by one.
create policy search on upload_sessions for select to reelkeep_search using (true);
grant select on upload_sessions to reelkeep_search;

create view uploads_in_limits as
  select session.organization_id, session.uuid, session.status
  from upload_sessions as session join assets as asset
    on asset.organization_id = session.organization_id and asset.id = coalesce(session.version_of, session.asset_id)
  where session.organization_id = current_setting('app.organization_id', true) and session.is_listed
    and current_setting('app.created_by', true) in ('*', coalesce(asset.created_by::text, ''))
    and (current_setting('app.folder_uuid', true) = '*' or asset.folder_uuid in (select folders_in_limits()));

grant create on schema public to reelkeep_search;
alter view uploads_in_limits owner to reelkeep_search;
revoke create on schema public from reelkeep_search;

grant select on uploads_in_limits to reelkeep_api;

-- migrate:down

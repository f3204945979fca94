-- migrate:up

-- The nearest folder with a legal hold, from this folder up to the root.
create function legal_hold_of(organization text, folder text) returns text
language sql stable as $$
  with recursive path as (
    select uuid, parent_uuid, legal_hold, 1 as step
    from public.folders where organization_id = organization and uuid = folder
    union all
    select parent.uuid, parent.parent_uuid, parent.legal_hold, path.step + 1
    from path join public.folders as parent
      on parent.organization_id = organization and parent.uuid = path.parent_uuid
    where not path.legal_hold and path.step < 64
  )
  select uuid from path where legal_hold limit 1
$$;

-- Legal holds are enforced here, so that no request, job or command can delete what is on hold. A command that deletes
-- a whole organization sets `app.ignores_legal_holds` after the operator has confirmed it.
create function refuse_legal_hold(held text) returns void
language plpgsql as $$
begin
  if held is not null and current_setting('app.ignores_legal_holds', true) is distinct from 'yes' then
    raise exception '% is under legal hold', held using errcode = 'RK002';
  end if;
end $$;

create function refuse_deletion_on_hold() returns trigger
language plpgsql as $$
begin
  if old.legal_hold then
    perform refuse_legal_hold(case tg_table_name when 'assets' then 'the asset' else 'the folder' end);
  end if;
  perform refuse_legal_hold('folder ' || legal_hold_of(old.organization_id,
    case tg_table_name when 'assets' then to_jsonb(old) ->> 'folder_uuid' else to_jsonb(old) ->> 'parent_uuid' end));
  return case tg_op when 'DELETE' then old else new end;
end $$;

create function refuse_move_off_hold() returns trigger
language plpgsql as $$
declare
  place text := case tg_table_name when 'assets' then 'folder_uuid' else 'parent_uuid' end;
  held text := legal_hold_of(old.organization_id, to_jsonb(old) ->> place);
begin
  if held is not null and legal_hold_of(new.organization_id, to_jsonb(new) ->> place) is null then
    perform refuse_legal_hold('folder ' || held);
  end if;
  return new;
end $$;

create trigger refuse_deletion_on_hold before delete on assets
  for each row execute function refuse_deletion_on_hold();
create trigger refuse_trash_on_hold before update of deleted_at on assets
  for each row when (old.deleted_at is null and new.deleted_at is not null) execute function refuse_deletion_on_hold();
create trigger refuse_move_off_hold before update of folder_uuid on assets
  for each row when (old.folder_uuid is distinct from new.folder_uuid) execute function refuse_move_off_hold();

create trigger refuse_deletion_on_hold before delete on folders
  for each row execute function refuse_deletion_on_hold();
create trigger refuse_trash_on_hold before update of deleted_at on folders
  for each row when (old.deleted_at is null and new.deleted_at is not null) execute function refuse_deletion_on_hold();
create trigger refuse_move_off_hold before update of parent_uuid on folders
  for each row when (old.parent_uuid is distinct from new.parent_uuid) execute function refuse_move_off_hold();

-- migrate:down

-- migrate:up

-- A transaction checks the suspension with its first write only. From then on it holds a lock that the command that
-- suspends the organization waits for, so its further writes need no check. A rollback to a savepoint undoes the lock
-- and the setting together.
create or replace function refuse_while_held() returns trigger
language plpgsql as $$
declare
  organization constant text := current_setting('app.organization_id', true);
begin
  if organization = current_setting('app.writing_organization', true) then
    return null;
  end if;
  if exists (select from public.held_organizations where organization_id = organization)
    and current_setting('app.is_mover', true) is distinct from 'yes'
  then
    raise exception 'organization % is held', organization using errcode = 'RK001';
  end if;
  perform set_config('app.writing_organization', organization, true);
  return null;
end $$;

-- migrate:down

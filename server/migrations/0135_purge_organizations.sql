-- migrate:up

-- The organizations to purge now.
create view organizations_to_purge as
  select organization_id, since from held_organizations where why = 'deleted' and purge_at <= now();

grant create on schema public to reelkeep_sweep;
alter view organizations_to_purge owner to reelkeep_sweep;
revoke create on schema public from reelkeep_sweep;
grant select on organizations_to_purge to reelkeep_worker;

-- Deletes some rows of an organization whose deletion is due, and returns their number; 0 if none are left, null if the
-- deletion was cancelled. The tables are read from the catalog, so a table that is added later is included; tables
-- with foreign keys come before those that they refer to, and of a table that refers to itself, rows without references
-- come first. The lock keeps the deletion from being cancelled meanwhile. Triggers call functions in `public`, in which only
-- the owner can create objects.
create function purge_organization_rows(organization text, row_limit integer) returns bigint
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  one record;
  deleted bigint;
begin
  perform from public.held_organizations
  where organization_id = organization and why = 'deleted' and purge_at <= now() for update;
  if not found then return null; end if;
  -- The operator has confirmed the deletion; nothing is counted as usage.
  perform set_config('app.is_mover', 'yes', true), set_config('app.ignores_legal_holds', 'yes', true);
  for one in
    with recursive tables as (
      select relation.oid, case relname when 'organizations' then 'id' else 'organization_id' end as owning
      from pg_class relation
      where relkind = 'r' and relnamespace in ('public'::regnamespace, 'event_weeks'::regnamespace)
        and relname <> 'held_organizations'
        and (relname = 'organizations' or exists (
          select from pg_attribute
          where attrelid = relation.oid and attname = 'organization_id' and not attisdropped))
    ),
    depths (oid, depth) as (
      select oid, 0 from tables
      union
      select conrelid, depth + 1 from depths join pg_constraint on confrelid = depths.oid and contype = 'f'
      where conrelid <> confrelid and depth < 16
    )
    select format('delete from %1$s where ctid = any (array(select mine.ctid from %1$s as mine where %2$I = $1%3$s limit $2))',
        tables.oid::regclass, owning, (
          select string_agg(format(' and not exists (select from %s as other where %s)', tables.oid::regclass, (
            select string_agg(format('other.%I = mine.%I', child.attname, parent.attname), ' and ')
            from unnest(conkey, confkey) as pair (child_number, parent_number)
            join pg_attribute child on child.attrelid = tables.oid and child.attnum = child_number
            join pg_attribute parent on parent.attrelid = tables.oid and parent.attnum = parent_number)), '')
          from pg_constraint where contype = 'f' and conrelid = tables.oid and confrelid = tables.oid)) as statement
    from tables join depths using (oid)
    group by tables.oid, owning order by max(depth) desc, tables.oid
  loop
    execute one.statement using organization, row_limit;
    get diagnostics deleted = row_count;
    if deleted > 0 then return deleted; end if;
  end loop;
  delete from shared_counters.rate_limits where key = 'organization:' || organization;
  return 0;
end $$;

-- Ends the deletion of an organization, after its rows and objects are gone. Returns false if the organization still
-- has rows, or if its deletion was cancelled.
create function finish_organization_deletion(organization text) returns boolean
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  if public.purge_organization_rows(organization, 1) is distinct from 0 then return false; end if;
  delete from public.held_organizations where organization_id = organization and why = 'deleted';
  return true;
end $$;

revoke execute on function purge_organization_rows(text, integer), finish_organization_deletion(text) from public;
grant execute on function purge_organization_rows(text, integer), finish_organization_deletion(text) to reelkeep_worker;

-- migrate:down

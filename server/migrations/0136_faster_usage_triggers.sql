-- migrate:up

-- Postgres plans the body of an SQL function at each call, but the statements of a PL/pgSQL function once per session.
-- The creation of every upload session calls count_assets, so its statement is in the trigger function itself.
create or replace function count_assets() returns trigger
language plpgsql as $$
begin
  if current_setting('app.is_mover', true) is distinct from 'yes' then
    insert into public.usage_days as days (organization_id, day, slot, assets)
    values (new.organization_id, (now() at time zone 'utc')::date, pg_backend_pid() % 16,
      new.asset_count - coalesce(old.asset_count, 0))
    on conflict (organization_id, day, slot) do update set assets = days.assets + excluded.assets;
  end if;
  return null;
end $$;

create or replace function count_rendition_bytes() returns trigger
language plpgsql as $$
begin
  if current_setting('app.is_mover', true) is distinct from 'yes' then
    insert into public.usage_days as days (organization_id, day, slot, rendition_bytes)
    values (coalesce(new.organization_id, old.organization_id), (now() at time zone 'utc')::date,
      pg_backend_pid() % 16, coalesce(new.bytes, 0) - coalesce(old.bytes, 0))
    on conflict (organization_id, day, slot) do update set
      rendition_bytes = days.rendition_bytes + excluded.rendition_bytes;
  end if;
  return null;
end $$;

-- migrate:down

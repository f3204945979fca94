-- migrate:up

-- The latest time that was read from the database's clock. If the clock is behind it, the clock was set back.
create table database_clock (
  is_only boolean primary key default true check (is_only),
  latest timestamptz not null default clock_timestamp()
);
insert into database_clock default values;

-- If the clock was set back, makes up to row_max rows of each table due now that were due by the earlier time, or would
-- be after waiting for less time than the step. To run early does no harm: each is checked again when it is claimed.
-- Returns their number, and whether there are more; if not, later calls compare the clock with its new time.
create function follow_clock(row_max integer, out made_due integer, out has_more boolean)
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  previous timestamptz;
  instant timestamptz;
  until timestamptz;
  changed integer;
begin
  made_due := 0;
  has_more := false;
  -- The lock makes concurrent calls wait.
  select latest into previous from public.database_clock for update;
  instant := clock_timestamp();
  until := previous + (previous - instant);

  if instant < previous - interval '1 second' then
    with due as materialized (
      select organization_id, uuid from public.upload_sessions as late
      where look_at > instant and look_at <= until
        and not exists (select from public.held_organizations held where held.organization_id = late.organization_id)
      order by organization_id, uuid limit row_max for no key update
    )
    update public.upload_sessions as late set look_at = instant from due
    where late.organization_id = due.organization_id and late.uuid = due.uuid;
    get diagnostics changed = row_count;
    made_due := made_due + changed;
    has_more := has_more or changed = row_max;

    -- In the order of their numbers and before the webhooks, as in all statements, to avoid deadlocks.
    with due as materialized (
      select organization_id, webhook_id, number, numbered_at from public.webhook_deliveries as late
      where state = 'waiting' and due_at > instant and due_at <= until
        and not exists (select from public.held_organizations held where held.organization_id = late.organization_id)
      order by organization_id, webhook_id, number limit row_max for no key update
    )
    update public.webhook_deliveries as late set due_at = instant from due
    where late.organization_id = due.organization_id and late.webhook_id = due.webhook_id
      and late.number = due.number and late.numbered_at = due.numbered_at;
    get diagnostics changed = row_count;
    made_due := made_due + changed;
    has_more := has_more or changed = row_max;

    with due as materialized (
      select organization_id, id from public.webhooks as late
      where (due_at > instant and due_at <= until or rests_until > instant and rests_until <= until)
        and not exists (select from public.held_organizations held where held.organization_id = late.organization_id)
      order by organization_id, id limit row_max for no key update
    )
    update public.webhooks as late set wakes = wakes + 1,
      due_at = case when due_at is not null then least(due_at, instant) end,
      rests_until = case when rests_until is not null then least(rests_until, instant) end
    from due where late.organization_id = due.organization_id and late.id = due.id;
    get diagnostics changed = row_count;
    made_due := made_due + changed;
    has_more := has_more or changed = row_max;

    with due as materialized (
      select organization_id, asset_id, prefix from public.published_files as late
      where damaged <> '{}' and replaced_by is null and repair_due_at > instant and repair_due_at <= until
        and not exists (select from public.held_organizations held where held.organization_id = late.organization_id)
      order by organization_id, asset_id, prefix limit row_max for no key update
    )
    update public.published_files as late set repair_due_at = instant from due
    where late.organization_id = due.organization_id and late.asset_id = due.asset_id and late.prefix = due.prefix;
    get diagnostics changed = row_count;
    made_due := made_due + changed;
    has_more := has_more or changed = row_max;
  end if;

  if not has_more then
    update public.database_clock set latest = instant;
  end if;
end $$;

revoke execute on function follow_clock(integer) from public;
grant execute on function follow_clock(integer) to reelkeep_worker;

-- Events of the future were recorded before the clock was set back. The margin is larger than the differences between
-- transactions that run at the same time.
create or replace view organizations_with_unnumbered_events as
  select organization_id, min(least(created_at, now())) as since from event_outbox
  where created_at not between now() - interval '1 second' and now() + interval '1 minute'
    and not exists (select from held_organizations held where held.organization_id = event_outbox.organization_id)
  group by organization_id;

-- A window that ends later than one that starts now was started before the clock was set back.
create or replace function add_rate_limit_points(counter text, added integer, window_seconds integer)
returns table (total bigint, seconds_left double precision)
language sql security definer set search_path = pg_catalog, pg_temp as $$
  with old as (
    select key from shared_counters.rate_limits
    where ends_at < statement_timestamp() - interval '1 hour' and key <> counter
    order by ends_at limit 2 for update skip locked
  ), deleted as (
    delete from shared_counters.rate_limits r using old where r.key = old.key
  )
  insert into shared_counters.rate_limits as mine (key, points, ends_at)
  values (counter, added, statement_timestamp() + make_interval(secs => window_seconds))
  on conflict (key) do update set
    points = excluded.points + case
      when mine.ends_at > statement_timestamp() and mine.ends_at <= excluded.ends_at + interval '1 second'
      then mine.points else 0 end,
    ends_at = case
      when mine.ends_at > statement_timestamp() and mine.ends_at <= excluded.ends_at + interval '1 second'
      then mine.ends_at else excluded.ends_at end
  returning mine.points, extract(epoch from mine.ends_at - statement_timestamp())::double precision
$$;

-- migrate:down

-- migrate:up

-- Points that organizations and tokens have used in the current minute, if the instances share their rate limits. Only
-- the owner has access to this schema: the service adds points with the function below. The rows are not moved between
-- cells and not backed up.
create schema shared_counters;

create unlogged table shared_counters.rate_limits (
  key text primary key,
  points bigint not null,
  ends_at timestamptz not null
);
create index rate_limits_ended on shared_counters.rate_limits (ends_at);

-- Adds points to a counter, starts its next window if the last one has ended, and deletes old counters.
create function add_rate_limit_points(counter text, added integer, window_seconds integer)
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
    points = excluded.points + case when mine.ends_at > statement_timestamp() then mine.points else 0 end,
    ends_at = case when mine.ends_at > statement_timestamp() then mine.ends_at else excluded.ends_at end
  returning mine.points, extract(epoch from mine.ends_at - statement_timestamp())::double precision
$$;
revoke execute on function add_rate_limit_points(text, integer, integer) from public;
grant execute on function add_rate_limit_points(text, integer, integer) to reelkeep_api;

-- migrate:down

-- migrate:up

-- Locks usage_days before usage_counts, like the triggers that write to usage_days alone first. Backends share slots, so
-- two transactions that locked the rows in another order could deadlock.
create or replace function count_usage(organization text, bytes bigint, seconds double precision) returns void
language sql as $$
  select public.count_usage_day(organization, bytes, 0, 0, seconds);
  insert into public.usage_counts as counts (organization_id, month, slot, stored_bytes, encoded_seconds)
  values (organization, to_char(now() at time zone 'utc', 'YYYY-MM'), pg_backend_pid() % 16, bytes, seconds)
  on conflict (organization_id, month, slot) do update set
    stored_bytes = counts.stored_bytes + excluded.stored_bytes,
    encoded_seconds = counts.encoded_seconds + excluded.encoded_seconds
$$;

-- migrate:down

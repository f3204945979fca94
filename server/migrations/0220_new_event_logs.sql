-- migrate:up

-- A failover or restore can also lose the row of a new log. The next row must not start with numbers that clients have
-- seen, so a log counts as one of the first timeline: on a server that was promoted or restored, it starts after a gap.
update event_logs
set timeline = ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::integer
where timeline is null;
alter table event_logs
  alter column timeline set default 1,
  -- When the last events were sequenced. The next ones are not earlier, even if the clock was set back in between.
  add column numbered_at timestamptz;

-- migrate:down

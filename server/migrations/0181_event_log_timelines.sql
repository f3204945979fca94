-- migrate:up

-- A failover to a standby that lacks the last commits, or a restore, makes the log shorter. The next events must not get
-- numbers that clients have seen before, or a client would miss them. So the log continues in a new range of numbers.
alter table event_logs
  -- Timeline of the server that assigned the last number. Postgres starts a new timeline with each promotion and each
  -- recovery from a backup.
  add column timeline integer,
  -- Unused ranges of numbers as objects: `start` is the last number before, and the log continues after `end`.
  add column gaps jsonb not null default '[]';

update event_logs
set timeline = ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::integer;

-- migrate:down

-- migrate:up

-- Duration of a worker's lease after each heartbeat. Workers of an earlier version do not write it; their leases last
-- 10 seconds.
alter table worker_leases add column lease_seconds double precision not null default 10;

-- migrate:down

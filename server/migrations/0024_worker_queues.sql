-- migrate:up

-- The queues that a worker serves, so that a queue without a worker is detected before jobs wait in it. Null for a
-- worker of an earlier version, which does not report its queues.
alter table worker_leases add column queues text[];

-- The API reports the live workers to the operator.
grant select on worker_leases to reelkeep_api;

-- migrate:down

-- migrate:up

-- What a worker takes up, so that a queue that nobody takes is seen before anybody waits for it. Null: a worker of an earlier version, which does not tell.
alter table worker_leases add column queues text[];

-- The API tells the operator who works.
grant select on worker_leases to reelkeep_api;

-- migrate:down

-- migrate:up

-- The job engine has its own tables in the schema dbos, which server/migrate creates first. This migration grants
-- access to them.

-- The worker runs the engine and needs access to its tables, also after an upgrade of the engine. It does not create or
-- drop tables.
grant usage on schema dbos to reelkeep_worker;
grant select, insert, update, delete on all tables in schema dbos to reelkeep_worker;
alter default privileges in schema dbos grant select, insert, update, delete on tables to reelkeep_worker;

-- The API only enqueues jobs. The engine uses an update to read a row that already exists.
grant usage on schema dbos to reelkeep_api;
grant select, insert, update (creator_xid) on dbos.workflow_status to reelkeep_api;
grant select (workflow_uuid), insert on dbos.workflow_input to reelkeep_api;

-- A job belongs to its organization, like any other row. The owner is exempt, because the engine's migrations run as
-- the owner.
alter table dbos.workflow_status enable row level security;
alter table dbos.workflow_input enable row level security;

create policy own_organization on dbos.workflow_status to reelkeep_api
  using (queue_partition_key = current_setting('app.organization_id', true))
  with check (queue_partition_key = current_setting('app.organization_id', true));

-- The input belongs to the organization of the job; the policy above applies to the inner query.
create policy own_organization on dbos.workflow_input to reelkeep_api
  using (exists (select from dbos.workflow_status s where s.workflow_uuid = workflow_input.workflow_uuid))
  with check (exists (select from dbos.workflow_status s where s.workflow_uuid = workflow_input.workflow_uuid));

create policy engine on dbos.workflow_status to reelkeep_worker using (true) with check (true);
create policy engine on dbos.workflow_input to reelkeep_worker using (true) with check (true);

-- Live workers, and since when each has renewed its lease without a gap. A worker with an expired lease counts as dead.
create table worker_leases (
  worker_id text collate "C" primary key check (char_length(worker_id) between 1 and 200),
  seen_at timestamptz not null,
  steady_since timestamptz not null
);

-- The next due time of each schedule, and the worker that runs it.
create table schedules (
  name text collate "C" primary key check (char_length(name) between 1 and 100),
  due_at timestamptz not null,
  worker_id text collate "C"
);

grant select, insert, update, delete on worker_leases, schedules to reelkeep_worker;

-- migrate:down

-- migrate:up

-- The job engine brings its own tables, in the schema dbos: server/migrate makes them first. Here stands who may do
-- what with them.

-- The worker runs the engine, now and after an upgrade of it. It makes and drops nothing.
grant usage on schema dbos to reelkeep_worker;
grant select, insert, update, delete on all tables in schema dbos to reelkeep_worker;
alter default privileges in schema dbos grant select, insert, update, delete on tables to reelkeep_worker;

-- The API promises work and no more. The update is the engine's own way to read a row that is there already.
grant usage on schema dbos to reelkeep_api;
grant select, insert, update (creator_xid) on dbos.workflow_status to reelkeep_api;
grant select (workflow_uuid), insert on dbos.workflow_input to reelkeep_api;

-- A job is its organization's like any other row. The owner is exempt: the engine's own migrations run as it.
alter table dbos.workflow_status enable row level security;
alter table dbos.workflow_input enable row level security;

create policy own_organization on dbos.workflow_status to reelkeep_api
  using (queue_partition_key = current_setting('app.organization_id', true))
  with check (queue_partition_key = current_setting('app.organization_id', true));

-- The input belongs to whom the job belongs to; the inner query is bound by the policy above.
create policy own_organization on dbos.workflow_input to reelkeep_api
  using (exists (select from dbos.workflow_status s where s.workflow_uuid = workflow_input.workflow_uuid))
  with check (exists (select from dbos.workflow_status s where s.workflow_uuid = workflow_input.workflow_uuid));

create policy engine on dbos.workflow_status to reelkeep_worker using (true) with check (true);
create policy engine on dbos.workflow_input to reelkeep_worker using (true) with check (true);

-- Who works, and since when without a gap. A worker whose last sign is too old is taken for dead.
create table worker_leases (
  worker_id text collate "C" primary key check (char_length(worker_id) between 1 and 200),
  seen_at timestamptz not null,
  steady_since timestamptz not null
);

-- When each schedule is due next, and which worker runs it now.
create table schedules (
  name text collate "C" primary key check (char_length(name) between 1 and 100),
  due_at timestamptz not null,
  worker_id text collate "C"
);

grant select, insert, update, delete on worker_leases, schedules to reelkeep_worker;

-- migrate:down

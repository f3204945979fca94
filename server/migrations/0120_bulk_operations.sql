-- migrate:up

-- Changes of many assets that run in the background.
create table bulk_operations (
  organization_id text collate "C" not null,
  id uuid not null,
  action text not null,
  -- The parameters of the action; null for actions without them. A move with null goes to the root.
  folder_uuid text collate "C",
  tags text[],
  metadata jsonb,
  status text not null check (status in ('Queued', 'Processing', 'Completed', 'Error', 'Cancelled')),
  total_count integer not null check (total_count >= 0),
  done_count integer not null default 0,
  failed_count integer not null default 0,
  -- The first assets that could not be changed: [{"assetId", "code", "detail"}].
  errors jsonb not null default '[]',
  -- Why the whole operation ended with an error.
  error_code text,
  error_detail text,
  created_by uuid,
  created_at timestamptz not null default now(),
  started_at timestamptz,
  finished_at timestamptz,
  primary key (organization_id, id),
  constraint bulk_operations_counts check (done_count >= 0 and failed_count >= 0 and done_count + failed_count <= total_count),
  constraint bulk_operations_end check ((finished_at is null) = (status in ('Queued', 'Processing')))
);
create index bulk_operations_unfinished on bulk_operations (organization_id, id) where finished_at is null;

-- The assets that an operation still has to change. A batch is deleted in the transaction that changes its assets, so
-- each asset is changed exactly once, whatever happens to the worker.
create table bulk_operation_batches (
  organization_id text collate "C" not null,
  operation_id uuid not null,
  number integer not null,
  asset_ids uuid[] not null,
  primary key (organization_id, operation_id, number),
  foreign key (organization_id, operation_id) references bulk_operations (organization_id, id) on delete cascade
);

alter table bulk_operations enable row level security;
alter table bulk_operations force row level security;
alter table bulk_operation_batches enable row level security;
alter table bulk_operation_batches force row level security;

create policy own_organization on bulk_operations to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));
create policy own_organization on bulk_operation_batches to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));
create policy administration on bulk_operations to reelkeep_owner using (true) with check (true);
create policy administration on bulk_operation_batches to reelkeep_owner using (true) with check (true);

grant select, insert, update, delete on bulk_operations to reelkeep_api;
grant select, insert, update, delete on bulk_operation_batches to reelkeep_api;

create trigger refuse_while_held before insert or update or delete on bulk_operations
  execute function refuse_while_held();
create trigger refuse_while_held before insert or update or delete on bulk_operation_batches
  execute function refuse_while_held();

-- migrate:down

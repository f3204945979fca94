-- migrate:up

-- The first response to each Idempotency-Key, written in the transaction that made the change.
create table idempotency_keys (
  organization_id text collate "C" not null,
  key text collate "C" not null check (char_length(key) between 1 and 255),
  -- SHA-256 of operation, path parameters and body: the same key with another request is refused.
  request_hash bytea not null check (octet_length(request_hash) = 32),
  answer bytea not null,
  created_at timestamptz not null default now(),
  primary key (organization_id, key)
);

create index idempotency_keys_by_age on idempotency_keys (organization_id, created_at);

alter table idempotency_keys enable row level security;
alter table idempotency_keys force row level security;

create policy own_organization on idempotency_keys to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));

create policy administration on idempotency_keys to reelkeep_owner using (true) with check (true);

-- UPDATE is needed to skip rows that another transaction is deleting.
grant select, insert, update, delete on idempotency_keys to reelkeep_api;

-- migrate:down

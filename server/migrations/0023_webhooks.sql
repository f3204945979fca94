-- migrate:up

-- Endpoints to which an organization's events are sent.
create table webhooks (
  organization_id text collate "C" not null references organizations (id),
  -- Version 7, so that ids sort by creation.
  id uuid not null,
  url text collate "C" not null check (char_length(url) between 1 and 2048),
  description text not null check (char_length(description) <= 255),
  -- Event types, such as asset.completed or asset.*; empty for all.
  types text[] not null check (cardinality(types) <= 100),
  -- Wrapped with the operator's key of that id, like the previous secret, which is valid until the end of the overlap.
  secret bytea not null,
  secret_key_id text collate "C" not null,
  previous_secret bytea,
  previous_secret_key_id text collate "C",
  previous_secret_until timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Null if the webhook is enabled. Otherwise the reason is one of: disabled by the user, failed for too long, or the
  -- endpoint responded with 410 Gone.
  disabled_at timestamptz,
  disabled_because text collate "C" check (disabled_because in ('caller', 'failing', 'gone')),
  -- Time since which no attempt has succeeded; null if none has failed since the last success.
  failing_since timestamptz,
  -- Number of consecutive attempts without a response; the backoff grows with it.
  silences integer not null default 0,
  -- Nothing is sent to the endpoint before this time; null if there is no backoff.
  rests_until timestamptz,
  -- When its next delivery is due; null if none is pending.
  due_at timestamptz,
  -- Incremented by every change that may affect due_at. A worker that found nothing to do releases the webhook only if
  -- the value has not changed.
  wakes bigint not null default 0,
  -- The worker that has claimed the webhook. Only one worker at a time delivers to a webhook.
  worker_id text collate "C",
  primary key (organization_id, id),
  check ((disabled_at is null) = (disabled_because is null)),
  check ((previous_secret is null) = (previous_secret_until is null)),
  check ((previous_secret is null) = (previous_secret_key_id is null))
) with (fillfactor = 70);

-- This index does not begin with the organization: workers search for due webhooks of all organizations.
create index webhooks_due on webhooks (due_at) where due_at is not null and disabled_at is null;

-- Deliveries of events to webhooks. They are created when the event is sequenced, and dropped with the event's week.
create table webhook_deliveries (
  organization_id text collate "C" not null,
  webhook_id uuid not null,
  number bigint not null,
  -- This and the next three columns are copied from the event.
  numbered_at timestamptz not null,
  event_id uuid not null,
  type text collate "C" not null,
  subject text collate "C" not null,
  state text collate "C" not null default 'waiting' check (state in ('waiting', 'delivered', 'failed')),
  attempts integer not null default 0,
  -- Number of consecutive error responses since the delivery was created or redelivery was requested; the backoff grows
  -- with it.
  refusals integer not null default 0,
  -- When the delivery was created or redelivery was requested; the retry period begins at this time.
  created_at timestamptz not null default now(),
  -- Next attempt of a pending delivery.
  due_at timestamptz,
  ended_at timestamptz,
  primary key (organization_id, webhook_id, number, numbered_at),
  check ((state = 'waiting') = (due_at is not null)),
  check ((state = 'waiting') = (ended_at is null))
) partition by range (numbered_at);

create index webhook_deliveries_waiting on webhook_deliveries (organization_id, webhook_id, due_at)
  where state = 'waiting';
create index webhook_deliveries_in_order on webhook_deliveries (organization_id, webhook_id, subject, number)
  where state = 'waiting';
-- For listing failed deliveries.
create index webhook_deliveries_failed on webhook_deliveries (organization_id, webhook_id, number)
  where state = 'failed';
create index webhook_deliveries_of_event on webhook_deliveries (organization_id, webhook_id, event_id);

-- Attempts at a delivery: the request, the response, and the duration.
create table webhook_attempts (
  organization_id text collate "C" not null,
  webhook_id uuid not null,
  number bigint not null,
  numbered_at timestamptz not null,
  attempt integer not null,
  at timestamptz not null,
  url text collate "C" not null,
  milliseconds integer not null,
  -- Status of the response; null if there was none, and then error has the reason.
  status integer,
  -- Beginning of the response body.
  answer text,
  error text,
  primary key (organization_id, webhook_id, number, attempt, numbered_at)
) partition by range (numbered_at);

alter table webhooks enable row level security;
alter table webhooks force row level security;
alter table webhook_deliveries enable row level security;
alter table webhook_deliveries force row level security;
alter table webhook_attempts enable row level security;
alter table webhook_attempts force row level security;

create policy own_organization on webhooks to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));
create policy own_organization on webhook_deliveries to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));
create policy own_organization on webhook_attempts to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));

create policy administration on webhooks to reelkeep_owner using (true) with check (true);
create policy administration on webhook_deliveries to reelkeep_owner using (true) with check (true);
create policy administration on webhook_attempts to reelkeep_owner using (true) with check (true);

grant select, insert, update, delete on webhooks to reelkeep_api;
grant select, insert, update on webhook_deliveries to reelkeep_api;
grant select, insert on webhook_attempts to reelkeep_api;

select keep_event_weeks(30);

-- What the worker can read across organizations: webhooks that are due, and the workers that have claimed them.
create policy sweep on webhooks for select to reelkeep_sweep using (true);
grant select (organization_id, id, due_at, disabled_at, worker_id) on webhooks to reelkeep_sweep;

create view due_webhooks as
  select organization_id, id, due_at, worker_id from webhooks where due_at <= now() and disabled_at is null;

grant create on schema public to reelkeep_sweep;
alter view due_webhooks owner to reelkeep_sweep;
revoke create on schema public from reelkeep_sweep;

grant select on due_webhooks to reelkeep_worker;

-- migrate:down

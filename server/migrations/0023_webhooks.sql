-- migrate:up

-- Where an organization wants to be told of its events.
create table webhooks (
  organization_id text collate "C" not null references organizations (id),
  -- Version 7, so that it is the order in which they came.
  id uuid not null,
  url text collate "C" not null check (char_length(url) between 1 and 2048),
  description text not null check (char_length(description) <= 255),
  -- Such as asset.completed or asset.*; empty: all.
  types text[] not null check (cardinality(types) <= 100),
  -- Wrapped with the operator's key of that name, like the one before it, which counts until the overlap ends.
  secret bytea not null,
  secret_key_id text collate "C" not null,
  previous_secret bytea,
  previous_secret_key_id text collate "C",
  previous_secret_until timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  -- Null: it is told. Otherwise why not: by the caller, because it failed for too long, or because it said that it is gone.
  disabled_at timestamptz,
  disabled_because text collate "C" check (disabled_because in ('caller', 'failing', 'gone')),
  -- Since when no attempt has succeeded; null while none has failed since.
  failing_since timestamptz,
  -- How often in a row it gave no answer at all: it rests the longer.
  silences integer not null default 0,
  -- Until then nothing is sent to it, whatever happens; null: it does not rest.
  rests_until timestamptz,
  -- When the next of its deliveries is due; null while none waits.
  due_at timestamptz,
  -- Counts what may have changed due_at: whoever found nothing to do lays it down only if nobody has added anything since.
  wakes bigint not null default 0,
  -- Who delivers to it. Deliveries to one webhook are one worker's at a time.
  worker_id text collate "C",
  primary key (organization_id, id),
  check ((disabled_at is null) = (disabled_because is null)),
  check ((previous_secret is null) = (previous_secret_until is null)),
  check ((previous_secret is null) = (previous_secret_key_id is null))
) with (fillfactor = 70);

-- No organization leads it: workers look at what is due in all of them.
create index webhooks_due on webhooks (due_at) where due_at is not null and disabled_at is null;

-- That an event is to be told to a webhook. They come with the event's number, and go with its week.
create table webhook_deliveries (
  organization_id text collate "C" not null,
  webhook_id uuid not null,
  number bigint not null,
  -- Of the event, as the three after it.
  numbered_at timestamptz not null,
  event_id uuid not null,
  type text collate "C" not null,
  subject text collate "C" not null,
  state text collate "C" not null default 'waiting' check (state in ('waiting', 'delivered', 'failed')),
  attempts integer not null default 0,
  -- How often in a row it has failed by itself, since it was to be told or was asked to be told again: it rests the longer.
  refusals integer not null default 0,
  -- When it was to be told first, or was asked to be told again: how long it is tried counts from here.
  created_at timestamptz not null default now(),
  -- Of one that waits: when it is tried next.
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
-- For whoever looks for what went wrong.
create index webhook_deliveries_failed on webhook_deliveries (organization_id, webhook_id, number)
  where state = 'failed';
create index webhook_deliveries_of_event on webhook_deliveries (organization_id, webhook_id, event_id);

-- Each time that it was tried: what was asked, what came back, how long it took.
create table webhook_attempts (
  organization_id text collate "C" not null,
  webhook_id uuid not null,
  number bigint not null,
  numbered_at timestamptz not null,
  attempt integer not null,
  at timestamptz not null,
  url text collate "C" not null,
  milliseconds integer not null,
  -- Null: there was no answer, and error says why.
  status integer,
  -- The beginning of its text.
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

-- What the worker may see across organizations: to whom something is due, and who has it in hand.
create policy sweep on webhooks for select to reelkeep_sweep using (true);
grant select (organization_id, id, due_at, disabled_at, worker_id) on webhooks to reelkeep_sweep;

create view due_webhooks as
  select organization_id, id, due_at, worker_id from webhooks where due_at <= now() and disabled_at is null;

grant create on schema public to reelkeep_sweep;
alter view due_webhooks owner to reelkeep_sweep;
revoke create on schema public from reelkeep_sweep;

grant select on due_webhooks to reelkeep_worker;

-- migrate:down

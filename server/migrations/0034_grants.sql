-- migrate:up

-- Id of the API token that created the row; null for an admin command. Not a foreign key: tokens are deleted 90 days
-- after they end.
alter table tokens add column created_by uuid;
alter table signing_keys add column created_by uuid;
alter table webhooks add column created_by uuid;
alter table access_tokens add column created_by uuid;

-- Playback tokens signed with the key are refused from then on.
alter table signing_keys add column expires_at timestamptz;

-- The token that created the webhook, or last enabled it or changed its URL, types or secret, and the expiry of that
-- token. No event is delivered after it.
alter table webhooks add column granted_by uuid;
alter table webhooks add column expires_at timestamptz;
grant select (expires_at) on webhooks to reelkeep_sweep;

-- The token was revoked together with everything that was created with it. Access tokens are not marked one by one.
alter table tokens add column has_revoked_descendants boolean not null default false;

create or replace view due_webhooks as
  select organization_id, id, due_at, worker_id from webhooks
  where due_at <= now() and disabled_at is null and coalesce(expires_at > now(), true)
    and not exists (select from held_organizations held where held.organization_id = webhooks.organization_id);

-- migrate:down

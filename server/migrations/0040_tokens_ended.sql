-- migrate:up transaction:false

-- Finds the API tokens that ended recently: the playback URLs in responses to them end as well.
create index concurrently if not exists tokens_ended on tokens (organization_id, least(revoked_at, retires_at))
  where revoked_at is not null or retires_at is not null;

-- migrate:down

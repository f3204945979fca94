-- migrate:up transaction:false

-- Finds the session of an upload token.
create unique index concurrently if not exists upload_sessions_by_upload_token
  on upload_sessions (organization_id, upload_token_hash) where upload_token_hash is not null;

-- migrate:down

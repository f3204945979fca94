-- migrate:up

-- How long an upload session lasts after its creation and after each renewal; null for the service's setting.
alter table upload_sessions
  add column lifetime_seconds bigint
    constraint upload_sessions_lifetime_positive check (lifetime_seconds > 0),
  -- Hash of the session's upload token, which a web page can have instead of an API token; null without one. The upload
  -- token ends with the API token that created it. Not a foreign key: tokens are deleted 90 days after they end.
  add column upload_token_hash bytea
    constraint upload_sessions_upload_token_hash_length check (octet_length(upload_token_hash) = 32),
  add column upload_token_granted_by uuid
    constraint upload_sessions_upload_token_granted check
      ((upload_token_hash is null) = (upload_token_granted_by is null));

-- migrate:down

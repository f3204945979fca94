-- migrate:up

-- A cover that the client chose, instead of the generated one in cover_key. cover_request identifies the cover that is
-- being created; the result of an earlier request is discarded.
alter table assets
  add column custom_cover_key text,
  add column cover_request uuid;

-- migrate:down

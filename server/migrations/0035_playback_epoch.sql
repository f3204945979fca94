-- migrate:up

-- Playback tokens that the service signs contain this number. Increasing it revokes all of them at once.
alter table organizations add column playback_epoch integer not null default 0;
alter table organizations add column playback_epoch_since timestamptz;
grant update (playback_epoch, playback_epoch_since) on organizations to reelkeep_api;

alter table access_tokens add column playback_epoch integer not null default 0;

-- Finds the API tokens that ended recently: the playback URLs in responses to them end as well.
create index tokens_ended on tokens (organization_id, least(revoked_at, retires_at))
  where revoked_at is not null or retires_at is not null;

-- migrate:down

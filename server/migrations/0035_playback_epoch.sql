-- migrate:up

-- Playback tokens that the service signs contain this number. Increasing it revokes all of them at once.
alter table organizations add column playback_epoch integer not null default 0;
alter table organizations add column playback_epoch_since timestamptz;
grant update (playback_epoch, playback_epoch_since) on organizations to reelkeep_api;

alter table access_tokens add column playback_epoch integer not null default 0;

-- migrate:down

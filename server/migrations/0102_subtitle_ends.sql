-- migrate:up

-- Start of the last cue in seconds, to flag a track that is longer than the video; null for tracks of older versions.
alter table subtitle_tracks add column last_cue_seconds double precision;

-- migrate:down

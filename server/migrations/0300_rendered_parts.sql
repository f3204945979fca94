-- migrate:up

-- Frames that the first segment of the media lacks, because the media is a rendered part of a video. Frames are counted
-- from the start of the segment, times from the first frame that exists.
alter table asset_clips add column first_frame integer not null default 0
  constraint asset_clips_first_frame check (first_frame >= 0);
alter table asset_trims add column first_frame integer not null default 0
  constraint asset_trims_first_frame check (first_frame >= 0);

-- A rendered part has no uploaded file, and neither has a clip of it.
alter table assets
  drop constraint assets_bytes_match_source,
  add constraint assets_bytes_match_source check (
    case when media_id is null then (bytes is null) = (source_key is null)
    else (own_bytes > 0) = (source_key is not null) end) not valid;

-- migrate:down

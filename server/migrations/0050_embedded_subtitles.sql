-- migrate:up

-- Subtitles that were contained in the uploaded file have the origin "embedded".
alter table subtitle_tracks drop constraint subtitle_tracks_origin_check;
update subtitle_tracks set origin = 'embedded' where origin = 'carried';
alter table subtitle_tracks
  add constraint subtitle_tracks_origin_check check (origin in ('uploaded', 'generated', 'embedded')) not valid;

update asset_happenings
set what = case what
  when 'chapters_carried' then 'chapters_imported'
  when 'subtitles_carried' then 'subtitles_extracted'
  else 'subtitles_not_extracted' end
where what in ('chapters_carried', 'subtitles_carried', 'subtitles_not_carried');

-- migrate:down

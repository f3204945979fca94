-- migrate:up

drop policy if exists search on asset_trims;
create policy search on asset_trims for select to reelkeep_search using (true);
grant select on asset_trims to reelkeep_search;

-- As before, with the times of the part that a trimmed asset shows. Chapters and subtitles keep those of the whole video,
-- so moments outside of the part are not found. The chapter that is under way at the start of the part starts with it.
create or replace view searchable_moments as
  select moment.organization_id, moment.asset_id, moment.source, moment.number, moment.kind,
    case when part.start_ms is null or moment.kind not in ('chapter', 'transcript') then moment.start_ms
      else greatest(moment.start_ms - part.start_ms, 0) end as start_ms,
    case when part.start_ms is null then moment.end_ms
      else least(moment.end_ms, part.end_ms) - part.start_ms end as end_ms,
    moment.text, moment.language, moment.words, asset.folder_uuid,
    case when part.start_ms is null then moment.cues else (
      select jsonb_agg(cue || jsonb_build_object('startMs', greatest((cue ->> 'startMs')::integer - part.start_ms, 0))
        order by (cue ->> 'offset')::integer)
      from jsonb_array_elements(moment.cues) as cue
      where (cue ->> 'startMs')::integer < part.end_ms) end as cues
  from moments as moment join assets as asset
    on asset.organization_id = moment.organization_id and asset.id = moment.asset_id
  left join asset_trims as trimmed on trimmed.organization_id = moment.organization_id
    and trimmed.organization_id = current_setting('app.organization_id', true)
    and trimmed.asset_id = moment.asset_id and trimmed.media_id = coalesce(asset.media_id, asset.id)
  left join lateral (
    select
      round((trimmed.start_frame - trimmed.whole_start_frame)::numeric * 1000 * trimmed.rate_denominator
        / trimmed.rate_numerator)::integer as start_ms,
      round((trimmed.end_frame - trimmed.whole_start_frame)::numeric * 1000 * trimmed.rate_denominator
        / trimmed.rate_numerator)::integer as end_ms
  ) as part on trimmed.asset_id is not null
  where moment.organization_id = current_setting('app.organization_id', true)
    and asset.organization_id = current_setting('app.organization_id', true) and asset.is_listed
    and (asset.status <> 'Cancelled' or asset.bytes is not null)
    and ((select current_setting('app.is_limited', true)) is distinct from 'yes'
      or current_setting('app.created_by', true) in ('*', coalesce(asset.created_by::text, ''))
        and (current_setting('app.folder_uuid', true) = '*' or asset.folder_uuid in (select folders_in_limits())))
    and (part.start_ms is null
      or moment.kind not in ('chapter', 'transcript')
      or moment.kind = 'transcript' and moment.start_ms < part.end_ms
        and coalesce(moment.end_ms, moment.start_ms + 1) > part.start_ms
      or moment.kind = 'chapter' and moment.start_ms < part.end_ms and (moment.start_ms >= part.start_ms
        or not exists (
          select from moments as later
          where later.organization_id = moment.organization_id and later.asset_id = moment.asset_id
            and later.kind = 'chapter' and later.start_ms > moment.start_ms and later.start_ms <= part.start_ms)));

-- Sentences outside of the part are not found either. Those of other texts than transcripts have no time of their own.
create or replace view searchable_embeddings as
  select embedding.organization_id, embedding.asset_id, embedding.source, embedding.number, embedding.model,
    embedding.fingerprint, asset.folder_uuid,
    case when part.start_ms is null then embedding.start_ms
      else greatest(embedding.start_ms - part.start_ms, 0) end as start_ms
  from moment_embeddings as embedding join assets as asset
    on asset.organization_id = embedding.organization_id and asset.id = embedding.asset_id
  left join asset_trims as trimmed on trimmed.organization_id = embedding.organization_id
    and trimmed.organization_id = current_setting('app.organization_id', true)
    and trimmed.asset_id = embedding.asset_id and trimmed.media_id = coalesce(asset.media_id, asset.id)
  left join lateral (
    select
      round((trimmed.start_frame - trimmed.whole_start_frame)::numeric * 1000 * trimmed.rate_denominator
        / trimmed.rate_numerator)::integer as start_ms,
      round((trimmed.end_frame - trimmed.whole_start_frame)::numeric * 1000 * trimmed.rate_denominator
        / trimmed.rate_numerator)::integer as end_ms
  ) as part on trimmed.asset_id is not null
  where embedding.organization_id = current_setting('app.organization_id', true)
    and asset.organization_id = current_setting('app.organization_id', true) and asset.is_listed
    and (asset.status <> 'Cancelled' or asset.bytes is not null)
    and ((select current_setting('app.is_limited', true)) is distinct from 'yes'
      or current_setting('app.created_by', true) in ('*', coalesce(asset.created_by::text, ''))
        and (current_setting('app.folder_uuid', true) = '*' or asset.folder_uuid in (select folders_in_limits())))
    and (part.start_ms is null or embedding.source in ('title', 'description', 'tag', 'chapter')
      or embedding.start_ms >= part.start_ms and embedding.start_ms < part.end_ms);

-- migrate:down

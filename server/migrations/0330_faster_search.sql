-- migrate:up

-- The asset is looked up for each moment, so that a search starts with the index of the words, or with the moments of
-- given assets. The planner would otherwise start with all assets of the organization for a common word, because it does
-- not know how long it takes to compare the words of a row.
create or replace view searchable_moments as
  select moment.organization_id, moment.asset_id, moment.source, moment.number, moment.kind,
    case when part.start_ms is null or moment.kind not in ('chapter', 'transcript') then moment.start_ms
      else greatest(moment.start_ms - part.start_ms, 0) end as start_ms,
    case when part.start_ms is null or moment.kind not in ('chapter', 'transcript') then moment.end_ms
      else least(moment.end_ms, part.end_ms) - part.start_ms end as end_ms,
    moment.text, moment.language, moment.words, asset.folder_uuid,
    case when part.start_ms is null then moment.cues else (
      select jsonb_agg(cue || jsonb_build_object('startMs', greatest((cue ->> 'startMs')::integer - part.start_ms, 0))
        order by (cue ->> 'offset')::integer)
      from jsonb_array_elements(moment.cues) as cue
      where (cue ->> 'startMs')::integer < part.end_ms) end as cues
  from moments as moment
  cross join lateral (
    select assets.folder_uuid, coalesce(assets.media_id, assets.id) as media_id from assets
    where assets.organization_id = moment.organization_id and assets.id = moment.asset_id
      and assets.organization_id = current_setting('app.organization_id', true) and assets.is_listed
      and (assets.status <> 'Cancelled' or assets.bytes is not null)
      and ((select current_setting('app.is_limited', true)) is distinct from 'yes'
        or current_setting('app.created_by', true) in ('*', coalesce(assets.created_by::text, ''))
          and (current_setting('app.folder_uuid', true) = '*' or assets.folder_uuid in (select folders_in_limits())))
    offset 0
  ) as asset
  left join asset_trims as trimmed on trimmed.organization_id = moment.organization_id
    and trimmed.organization_id = current_setting('app.organization_id', true)
    and trimmed.asset_id = moment.asset_id and trimmed.media_id = asset.media_id
  left join lateral (
    select
      round((trimmed.start_frame - trimmed.whole_start_frame)::numeric * 1000 * trimmed.rate_denominator
        / trimmed.rate_numerator)::integer as start_ms,
      round((trimmed.end_frame - trimmed.whole_start_frame)::numeric * 1000 * trimmed.rate_denominator
        / trimmed.rate_numerator)::integer as end_ms
  ) as part on trimmed.asset_id is not null
  where moment.organization_id = current_setting('app.organization_id', true)
    and (part.start_ms is null
      or moment.kind not in ('chapter', 'transcript')
      or moment.kind = 'transcript' and moment.start_ms < part.end_ms
        and coalesce(moment.end_ms, moment.start_ms + 1) > part.start_ms
      or moment.kind = 'chapter' and moment.start_ms < part.end_ms and (moment.start_ms >= part.start_ms
        or not exists (
          select from moments as later
          where later.organization_id = moment.organization_id and later.asset_id = moment.asset_id
            and later.kind = 'chapter' and later.start_ms > moment.start_ms and later.start_ms <= part.start_ms)));

-- As before, without the stem of the last word if the word as a beginning finds it too: the index would be read twice.
-- One Latin letter is not the beginning of a word: nearly every text has such a word.
create or replace function search_query(prefix text, configurations text[], words text) returns tsquery
language plpgsql immutable strict parallel safe set search_path = pg_catalog, pg_temp as $$
declare
  given constant text[] := (
    select array_agg(word order by position)
    from regexp_split_to_table(trim(public.fold_words(words)), ' +') with ordinality as part (word, position)
    where word <> '' and position <= 16 and octet_length(word) <= 200);
  name text;
  index integer;
  is_beginning boolean;
  terms text[];
  stems text[];
  queries text[] := '{}';
begin
  if given is null then return null; end if;
  foreach name in array configurations loop
    terms := '{}';
    for index in 1 .. cardinality(given) loop
      stems := tsvector_to_array(to_tsvector(name::regconfig, given[index]));
      continue when cardinality(stems) = 0;
      is_beginning := index = cardinality(given) and given[index] !~ '^[a-z]$';
      if is_beginning then
        stems := array(select stem from unnest(stems) as stem where not starts_with(stem, given[index]));
      end if;
      stems := array(select '''' || prefix || translate(stem, '''\', '') || '''' from unnest(stems) as stem);
      if is_beginning then
        stems := stems || ('''' || prefix || translate(given[index], '''\', '') || ''':*');
      end if;
      terms := terms || ('(' || array_to_string(stems, ' | ') || ')');
    end loop;
    if cardinality(terms) > 0 then
      queries := queries || ('(' || array_to_string(terms, ' & ') || ')');
    end if;
  end loop;
  return nullif(array_to_string(array(select distinct unnest(queries)), ' | '), '')::tsquery;
end $$;

-- migrate:down

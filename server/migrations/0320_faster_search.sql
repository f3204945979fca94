-- migrate:up

-- The asset is looked up for each moment, so that a search starts with the index of the words, or with the moments of
-- given assets. The planner would otherwise start with all assets of the organization for a common word, because it does
-- not know how long it takes to compare the words of a row.
create or replace view searchable_moments as
  select moment.organization_id, moment.asset_id, moment.source, moment.number, moment.kind, moment.start_ms,
    moment.end_ms, moment.text, moment.language, moment.words, asset.folder_uuid, moment.cues
  from moments as moment
  cross join lateral (
    select assets.folder_uuid from assets
    where assets.organization_id = moment.organization_id and assets.id = moment.asset_id
      and assets.organization_id = current_setting('app.organization_id', true) and assets.is_listed
      and (assets.status <> 'Cancelled' or assets.bytes is not null)
      and ((select current_setting('app.is_limited', true)) is distinct from 'yes'
        or current_setting('app.created_by', true) in ('*', coalesce(assets.created_by::text, ''))
          and (current_setting('app.folder_uuid', true) = '*' or assets.folder_uuid in (select folders_in_limits())))
    offset 0
  ) as asset
  where moment.organization_id = current_setting('app.organization_id', true);

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

-- migrate:up

-- Text as searches compare it: lower case, without the accents of Latin, Greek and Cyrillic letters. Punctuation becomes
-- spaces, because Postgres would otherwise treat it differently in every locale. Every character of a text in the
-- normal form NFC becomes one character, and a Chinese or Japanese one is followed by a space, as these languages do
-- not separate words. Highlights depend on that (search-highlights.rules.ts).
create function fold_words(words text) returns text
language sql immutable parallel safe
return case
  -- ASCII in the same way but faster: a page of results needs it for each of its moments.
  when octet_length(words) = char_length(words)
    then regexp_replace(lower(words collate "C"), '[\t-\r\x1c-\x1f!"#%&''()*,./:;?@[\\\]_{}-]', ' ', 'g')
      collate "default"
  else regexp_replace(
    regexp_replace(
      translate(
        lower(normalize(regexp_replace(normalize(words, NFD), '[\u0300-\u036f]', '', 'g'), NFC) collate "und-x-icu"),
        'øđħıłŧς', 'odhiltσ'),
      '[[:punct:][:space:]]', ' ', 'g'),
    '([\u2e80-\u2fdf\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff])', '\1 ', 'g') collate "default"
end;

-- The text search configuration of a BCP 47 language; `simple`, which does not reduce words to their stems, if Postgres
-- has none.
create function search_configuration(language text) returns text
language sql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
  select case split_part(lower(language), '-', 1)
    when 'ar' then 'arabic' when 'ca' then 'catalan' when 'da' then 'danish' when 'de' then 'german'
    when 'el' then 'greek' when 'en' then 'english' when 'es' then 'spanish' when 'eu' then 'basque'
    when 'fi' then 'finnish' when 'fr' then 'french' when 'ga' then 'irish' when 'hi' then 'hindi'
    when 'hu' then 'hungarian' when 'hy' then 'armenian' when 'id' then 'indonesian' when 'it' then 'italian'
    when 'lt' then 'lithuanian' when 'nb' then 'norwegian' when 'ne' then 'nepali' when 'nl' then 'dutch'
    when 'nn' then 'norwegian' when 'no' then 'norwegian' when 'pt' then 'portuguese' when 'ro' then 'romanian'
    when 'ru' then 'russian' when 'sr' then 'serbian' when 'sv' then 'swedish' when 'ta' then 'tamil'
    when 'tr' then 'turkish' when 'yi' then 'yiddish'
    else 'simple'
  end
$$;

-- All words of the index start with a hash of the organization, so a search reads no index entries of others.
create function search_prefix(organization text) returns text
language sql immutable strict parallel safe set search_path = pg_catalog, pg_temp as $$
  select left(md5(organization), 5)
$$;

-- The words of a text, and their stems in its language. The words are needed for a search by their beginning. Words that
-- the language ignores, such as "the", are left out.
create function moment_words(organization text, language text, words text) returns tsvector
language plpgsql immutable strict parallel safe set search_path = pg_catalog, pg_temp as $$
declare
  prefix constant text := public.search_prefix(organization);
  configuration constant text := public.search_configuration(language);
  folded constant text := public.fold_words(words);
  stems constant tsvector := to_tsvector(configuration::regconfig, folded);
begin
  return coalesce((
    select string_agg('''' || prefix || translate(lexeme, '''\', '') || ''':' || array_to_string(positions, ','), ' ')
    from (
      select lexeme, positions from unnest(stems)
      union all
      select word.lexeme, word.positions
      from unnest(case when configuration = 'simple' then ''::tsvector else to_tsvector('simple', folded) end) as word
      where word.positions && array(select distinct unnest(positions) from unnest(stems))
    ) as found
    where octet_length(lexeme) <= 200
  ), '')::tsvector;
end $$;

-- The searchable texts of assets with the time at which each is shown or said.
create table moments (
  organization_id text collate "C" not null,
  asset_id uuid not null,
  -- The kind, or for a transcript the id of its subtitle track.
  source text collate "C" not null,
  -- Id of the chapter, or position in the transcript; otherwise 0.
  number integer not null,
  kind text collate "C" not null check (kind in ('title', 'description', 'tag', 'chapter', 'transcript')),
  subtitle_id uuid generated always as (case when kind = 'transcript' then source::uuid end) stored,
  start_ms integer not null check (start_ms >= 0),
  -- Null if the moment is the whole video, or its end is not known.
  end_ms integer,
  text text not null,
  -- Of a transcript: for each caption, where its text begins in `text`, in UTF-16 units, and its start in milliseconds.
  cues jsonb,
  -- BCP 47 tag; empty if it is not known.
  language text collate "C" not null default '',
  words tsvector not null,
  primary key (organization_id, asset_id, source, number),
  foreign key (organization_id, asset_id) references assets (organization_id, id) on delete cascade,
  foreign key (organization_id, asset_id, subtitle_id)
    references subtitle_tracks (organization_id, asset_id, id) on delete cascade
);

-- One index per kind of source, so that a search finds titles among any number of transcripts. Without a pending list,
-- which every search would read.
create index moments_titles on moments using gin (words) with (fastupdate = off)
  where kind in ('title', 'description', 'tag');
create index moments_chapters on moments using gin (words) with (fastupdate = off) where kind = 'chapter';
create index moments_transcripts on moments using gin (words) with (fastupdate = off) where kind = 'transcript';

-- The configurations that an organization's transcripts use. A search looks for the stems of its words in each.
create table search_configurations (
  organization_id text collate "C" not null references organizations (id) on delete cascade,
  configuration text collate "C" not null,
  primary key (organization_id, configuration)
);

alter table moments enable row level security;
alter table moments force row level security;
alter table search_configurations enable row level security;
alter table search_configurations force row level security;

create policy own_organization on moments to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));
create policy administration on moments to reelkeep_owner using (true) with check (true);
create policy search on moments for select to reelkeep_search using (true);
create policy own_organization on search_configurations to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));
create policy administration on search_configurations to reelkeep_owner using (true) with check (true);

grant select, insert, update, delete on moments, search_configurations to reelkeep_api;
grant select on moments to reelkeep_search;

create trigger refuse_while_held before insert or update or delete on moments execute function refuse_while_held();
create trigger refuse_while_held before insert or update or delete on search_configurations
  execute function refuse_while_held();

create policy search on asset_trims for select to reelkeep_search using (true);
grant select on asset_trims to reelkeep_search;

-- The moments that a request may find. Row-level security would disable the indexes, as for `searchable_assets`, so the
-- view has its conditions: the organization, the trash, and the limits of the principal.
--
-- The asset is looked up for each moment, so that a search starts with the index of the words, or with the moments of
-- given assets. The planner would otherwise start with all assets of the organization for a common word, because it does
-- not know how long it takes to compare the words of a row.
--
-- Of a trimmed asset, the view has the times of the part that is shown. Chapters and subtitles keep those of the whole
-- video, so moments outside of the part are not found. The chapter that is under way at the start of the part starts
-- with it.
create view searchable_moments as
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
    where assets.organization_id = moment.organization_id and assets.id = moment.asset_id and assets.is_listed
      and (assets.status <> 'Cancelled' or assets.bytes is not null)
      and ((select current_setting('app.is_limited', true)) is distinct from 'yes'
        or (select current_setting('app.created_by', true)) in ('*', coalesce(assets.created_by::text, ''))
          and ((select current_setting('app.folder_uuid', true)) = '*'
            or assets.folder_uuid in (select folders_in_limits())))
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

grant create on schema public to reelkeep_search;
alter view searchable_moments owner to reelkeep_search;
revoke create on schema public from reelkeep_search;

grant select on searchable_moments to reelkeep_api;

-- Title, description and tags are moments of their own. A trigger writes them, because assets are changed in many places:
-- one by one, in bulk, with an upload session and by the activation of a version.
create function write_title_moments(organization text, asset uuid, title text, description text, tags text[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  with given (kind, text) as (
    values ('title', normalize(title, NFC)), ('description', normalize(description, NFC)),
      ('tag', normalize(array_to_string(tags, ', '), NFC))
  ), removed as (
    delete from public.moments using given
    where moments.organization_id = organization and moments.asset_id = asset and moments.source = given.kind
      and moments.number = 0 and given.text = ''
  )
  insert into public.moments (organization_id, asset_id, source, number, kind, start_ms, text, words)
  select organization, asset, given.kind, 0, given.kind, 0, given.text,
    public.moment_words(organization, '', given.text)
  from given where given.text <> ''
  on conflict (organization_id, asset_id, source, number)
    do update set text = excluded.text, words = excluded.words where moments.text <> excluded.text;
end $$;

create function index_asset() returns trigger
language plpgsql as $$
begin
  perform public.write_title_moments(new.organization_id, new.id, new.title, new.description, new.tags);
  return null;
end $$;

create trigger index_new_asset after insert on assets
  for each row when (new.version_of is null) execute function index_asset();
create trigger index_changed_asset after update of title, description, tags on assets
  for each row when (new.version_of is null
    and (old.title, old.description, old.tags) is distinct from (new.title, new.description, new.tags))
  execute function index_asset();

-- A search text as a query for moments: all words, of which the last may be the beginning of a word. Each of the
-- configurations has its own stems and ignores its own words, so their queries are alternatives. The stem of the last
-- word is left out if the word as a beginning finds it too: the index would be read twice. One Latin letter is not the
-- beginning of a word: nearly every text has such a word.
create function search_query(prefix text, configurations text[], words text) returns tsquery
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

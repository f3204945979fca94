-- migrate:up

-- A search text as a query for moments: all words, of which the last may be the beginning of a word. Each of the
-- configurations has its own stems, which are alternatives. A word that one of them ignores, such as "the", is left out
-- unless no other is there. Each word is in the query once, because the index is read for each of its occurrences,
-- which takes long for a beginning. The stem of the last word is left out if the word as a beginning finds it too. One Latin
-- letter is not the beginning of a word: nearly every text has such a word.
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
  is_ignored boolean;
  stems text[];
  found text[];
  term text;
  terms text[] := '{}';
  ignored text[] := '{}';
begin
  if given is null then return null; end if;
  for index in 1 .. cardinality(given) loop
    found := '{}';
    is_ignored := false;
    foreach name in array configurations loop
      stems := tsvector_to_array(to_tsvector(name::regconfig, given[index]));
      is_ignored := is_ignored or cardinality(stems) = 0;
      found := found || stems;
    end loop;
    continue when cardinality(found) = 0;
    is_beginning := index = cardinality(given) and given[index] !~ '^[a-z]$';
    found := array(
      select distinct '''' || prefix || translate(stem, '''\', '') || '''' from unnest(found) as stem
      where not (is_beginning and starts_with(stem, given[index])));
    if is_beginning then
      found := found || ('''' || prefix || translate(given[index], '''\', '') || ''':*');
    end if;
    term := '(' || array_to_string(found, ' | ') || ')';
    if is_ignored then ignored := ignored || term; else terms := terms || term; end if;
  end loop;
  if cardinality(terms) = 0 then terms := ignored; end if;
  return nullif(array_to_string(terms, ' & '), '')::tsquery;
end $$;

-- migrate:down

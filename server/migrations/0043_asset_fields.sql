-- migrate:up

-- Fields of an asset that the client sets; `external_id` and `metadata` exist on folders, too.
alter table assets
  add column description text not null default ''
    constraint assets_description_length check (char_length(description) <= 5000),
  -- In the order in which the API returns them.
  add column tags text[] not null default '{}' constraint assets_tags_count check (cardinality(tags) <= 50),
  add column external_id text collate "C"
    constraint assets_external_id_length check (char_length(external_id) between 1 and 255),
  -- An object of strings.
  add column metadata jsonb not null default '{}',
  -- Id of the API token that created the asset; null for assets of older versions. Not a foreign key: tokens are
  -- deleted 90 days after they end.
  add column created_by uuid;

alter table folders
  add column external_id text collate "C"
    constraint folders_external_id_length check (char_length(external_id) between 1 and 255),
  add column metadata jsonb not null default '{}';

-- migrate:down

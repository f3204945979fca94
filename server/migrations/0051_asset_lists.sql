-- migrate:up

-- Order of titles: numbers by their value ("Part 2" before "Part 10"), letters with accents beside those without.
create collation natural_order (provider = icu, locale = 'und-u-kn-true');

-- The tags of assets in the form in which they are compared, for lists filtered by tag. `assets.tags` has the tags as
-- the API returns them; both are written in one transaction.
create table asset_tags (
  organization_id text collate "C" not null,
  asset_id uuid not null,
  tag_key text collate "C" not null,
  primary key (organization_id, asset_id, tag_key),
  foreign key (organization_id, asset_id) references assets (organization_id, id) on delete cascade
);
-- A list by tag, newest first, is read from this index in order.
create unique index asset_tags_by_tag on asset_tags (organization_id, tag_key, asset_id);

alter table asset_tags enable row level security;
alter table asset_tags force row level security;

create policy own_organization on asset_tags to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));
create policy administration on asset_tags to reelkeep_owner using (true) with check (true);

grant select, insert, update, delete on asset_tags to reelkeep_api;

insert into asset_tags (organization_id, asset_id, tag_key)
select organization_id, id, lower(tag collate "und-x-icu") from assets, unnest(tags) as tag
on conflict do nothing;

-- After the insert: the tags of a suspended organization are copied, too.
create trigger refuse_while_held before insert or update or delete on asset_tags
  execute function refuse_while_held();

-- The columns that a search combined with filters and orders needs.
create or replace view searchable_assets as
  select organization_id, id, folder_uuid, status, search_title, grams, title, external_id, bytes, duration_seconds,
    created_at, updated_at
  from assets
  where organization_id = current_setting('app.organization_id', true);

-- migrate:down

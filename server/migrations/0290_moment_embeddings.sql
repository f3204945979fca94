-- migrate:up

-- The meaning of moments, if the service has an embeddings server (docs/decisions/0052). One row per sentence, so that a
-- search finds the second at which something is said. Rows are narrow, because a search compares all of them that an
-- organization has.
create table moment_embeddings (
  organization_id text collate "C" not null,
  asset_id uuid not null,
  source text collate "C" not null,
  number integer not null,
  -- A hash of the model's name: vectors of different models cannot be compared.
  model integer not null,
  fingerprint bit(1024) not null,
  -- Position in the moment.
  sentence smallint not null default 0,
  -- When the sentence begins.
  start_ms integer not null default 0,
  primary key (organization_id, asset_id, source, number, sentence),
  foreign key (organization_id, asset_id, source, number)
    references moments (organization_id, asset_id, source, number) on delete cascade
);

-- Assets with moments that may have no embedding. Without an embeddings server, all assets wait here for one.
create table assets_to_embed (
  organization_id text collate "C" not null,
  asset_id uuid not null,
  -- Increased by each change, so that a worker does not remove an asset that changed while it was embedded.
  changes bigint not null default 1,
  -- Later after a failure that the texts caused.
  due_at timestamptz not null default now(),
  primary key (organization_id, asset_id),
  foreign key (organization_id, asset_id) references assets (organization_id, id) on delete cascade
);
create index assets_to_embed_by_due_at on assets_to_embed (organization_id, due_at);

alter table moment_embeddings enable row level security;
alter table moment_embeddings force row level security;
alter table assets_to_embed enable row level security;
alter table assets_to_embed force row level security;

create policy own_organization on moment_embeddings to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));
create policy own_organization on assets_to_embed to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));
create policy administration on moment_embeddings to reelkeep_owner using (true) with check (true);
create policy administration on assets_to_embed to reelkeep_owner using (true) with check (true);
create policy search on moment_embeddings for select to reelkeep_search using (true);
create policy sweep on assets_to_embed for select to reelkeep_sweep using (true);

grant select, insert, update, delete on moment_embeddings, assets_to_embed to reelkeep_api;
grant select on moment_embeddings to reelkeep_search;
grant select (organization_id, due_at) on assets_to_embed to reelkeep_sweep;

create trigger refuse_while_held before insert or update or delete on moment_embeddings
  execute function refuse_while_held();
create trigger refuse_while_held before insert or update or delete on assets_to_embed
  execute function refuse_while_held();

-- The embeddings that a request may find, with the conditions of `searchable_moments`. Of a trimmed asset,
-- sentences outside of the shown part are not found. Other texts than transcripts have no time of their own.
create view searchable_embeddings as
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

grant create on schema public to reelkeep_search;
alter view searchable_embeddings owner to reelkeep_search;
revoke create on schema public from reelkeep_search;

grant select on searchable_embeddings to reelkeep_api;

create view organizations_to_embed as
  select organization_id, min(due_at) as due_at from assets_to_embed
  where due_at <= now()
    and not exists (select from held_organizations held where held.organization_id = assets_to_embed.organization_id)
  group by organization_id;

grant create on schema public to reelkeep_sweep;
alter view organizations_to_embed owner to reelkeep_sweep;
revoke create on schema public from reelkeep_sweep;

grant select on organizations_to_embed to reelkeep_worker;

-- In the order of the primary key, so that transactions that change several assets do not wait for each other in turn.
create function queue_for_embedding() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  insert into public.assets_to_embed as queued (organization_id, asset_id)
  select distinct organization_id, asset_id from written order by organization_id, asset_id
  on conflict (organization_id, asset_id) do update set changes = queued.changes + 1, due_at = excluded.due_at;
  return null;
end $$;

create function queue_changed_for_embedding() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  with changed as (
    select written.organization_id, written.asset_id, written.source, written.number
    from written join replaced using (organization_id, asset_id, source, number)
    where written.text <> replaced.text
  ), removed as (
    delete from public.moment_embeddings as outdated using changed
    where outdated.organization_id = changed.organization_id and outdated.asset_id = changed.asset_id
      and outdated.source = changed.source and outdated.number = changed.number
  )
  insert into public.assets_to_embed as queued (organization_id, asset_id)
  select distinct organization_id, asset_id from changed order by organization_id, asset_id
  on conflict (organization_id, asset_id) do update set changes = queued.changes + 1, due_at = excluded.due_at;
  return null;
end $$;

create trigger embed_new_moments after insert on moments
  referencing new table as written for each statement execute function queue_for_embedding();
create trigger embed_changed_moments after update on moments
  referencing old table as replaced new table as written for each statement execute function queue_changed_for_embedding();

insert into assets_to_embed (organization_id, asset_id)
select distinct organization_id, asset_id from moments;

-- migrate:down

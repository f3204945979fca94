-- migrate:up

alter table moments
  -- Of a transcript: for each caption, where its text begins in `text`, in UTF-16 units, and its start in milliseconds.
  add column cues jsonb;

create or replace view searchable_moments as
  select moment.organization_id, moment.asset_id, moment.source, moment.number, moment.kind, moment.start_ms,
    moment.end_ms, moment.text, moment.language, moment.words, asset.folder_uuid, moment.cues
  from moments as moment join assets as asset
    on asset.organization_id = moment.organization_id and asset.id = moment.asset_id
  where moment.organization_id = current_setting('app.organization_id', true)
    and asset.organization_id = current_setting('app.organization_id', true) and asset.is_listed
    and (asset.status <> 'Cancelled' or asset.bytes is not null)
    and ((select current_setting('app.is_limited', true)) is distinct from 'yes'
      or current_setting('app.created_by', true) in ('*', coalesce(asset.created_by::text, ''))
        and (current_setting('app.folder_uuid', true) = '*' or asset.folder_uuid in (select folders_in_limits())));

-- One row per sentence, so that a search finds the second at which something is said.
alter table moment_embeddings
  add column sentence smallint not null default 0,
  -- When the sentence begins.
  add column start_ms integer not null default 0,
  drop constraint moment_embeddings_pkey,
  -- The table has no rows before this release.
  -- squawk-ignore constraint-missing-not-valid, adding-serial-primary-key-field
  add primary key (organization_id, asset_id, source, number, sentence);

create or replace view searchable_embeddings as
  select embedding.organization_id, embedding.asset_id, embedding.source, embedding.number, embedding.model,
    embedding.fingerprint, asset.folder_uuid, embedding.start_ms
  from moment_embeddings as embedding join assets as asset
    on asset.organization_id = embedding.organization_id and asset.id = embedding.asset_id
  where embedding.organization_id = current_setting('app.organization_id', true)
    and asset.organization_id = current_setting('app.organization_id', true) and asset.is_listed
    and (asset.status <> 'Cancelled' or asset.bytes is not null)
    and ((select current_setting('app.is_limited', true)) is distinct from 'yes'
      or current_setting('app.created_by', true) in ('*', coalesce(asset.created_by::text, ''))
        and (current_setting('app.folder_uuid', true) = '*' or asset.folder_uuid in (select folders_in_limits())));

-- migrate:down

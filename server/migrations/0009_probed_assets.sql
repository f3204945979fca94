-- migrate:up

-- Results of probing the uploaded file that are part of the asset in the API.
alter table assets
  add column duration_seconds double precision constraint assets_duration_positive check (duration_seconds > 0),
  add column width integer constraint assets_width_positive check (width > 0),
  add column height integer constraint assets_height_positive check (height > 0);

-- All results of the probe, for later steps.
create table asset_probes (
  organization_id text collate "C" not null,
  asset_id uuid not null,
  probe jsonb not null,
  primary key (organization_id, asset_id),
  foreign key (organization_id, asset_id) references assets (organization_id, id) on delete cascade
);

alter table asset_probes enable row level security;
alter table asset_probes force row level security;

create policy own_organization on asset_probes to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));

create policy administration on asset_probes to reelkeep_owner using (true) with check (true);

grant select, insert, update, delete on asset_probes to reelkeep_api;

-- migrate:down

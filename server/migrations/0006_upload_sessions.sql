-- migrate:up

create table upload_sessions (
  organization_id text collate "C" not null,
  uuid uuid not null,
  asset_id uuid not null,
  status text not null default 'Created'
    check (status in ('Created', 'Uploading', 'Completed', 'Expired', 'Cancelled', 'Failed')),
  error_code text,
  error_detail text,
  max_file_size_bytes bigint not null check (max_file_size_bytes > 0),
  -- The latest start of an upload, and the latest end of an upload that started in time.
  expires_at timestamptz not null,
  closes_at timestamptz not null check (closes_at >= expires_at),
  -- For an upload in parts: the upload id of storage, and the size of the whole file.
  multipart_upload_id text,
  multipart_bytes bigint check (multipart_bytes > 0),
  -- Time of the next check of storage; null if no more checks are needed.
  look_at timestamptz,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  primary key (organization_id, uuid),
  unique (organization_id, asset_id),
  foreign key (organization_id, asset_id) references assets (organization_id, id) on delete cascade,
  check ((status in ('Created', 'Uploading')) = (ended_at is null)),
  check ((status = 'Failed') = (error_code is not null and error_detail is not null)),
  check ((multipart_upload_id is null) = (multipart_bytes is null))
);

create index upload_sessions_by_status on upload_sessions (organization_id, status, uuid);

alter table upload_sessions enable row level security;
alter table upload_sessions force row level security;

create policy own_organization on upload_sessions to reelkeep_api
  using (organization_id = current_setting('app.organization_id', true))
  with check (organization_id = current_setting('app.organization_id', true));

create policy administration on upload_sessions to reelkeep_owner using (true) with check (true);

grant select, insert, update, delete on upload_sessions to reelkeep_api;

-- The only index that does not begin with the organization: the sweep searches for due sessions of all organizations.
create index upload_sessions_due on upload_sessions (look_at) where look_at is not null;

-- What the worker can read across organizations: that a session is due, and its organization. It then processes the
-- session as that organization, under the normal policy.
create policy sweep on upload_sessions for select to reelkeep_sweep using (true);
grant select on upload_sessions to reelkeep_sweep;

create view due_upload_sessions as
  select organization_id, uuid, look_at from upload_sessions where look_at <= now();

grant create on schema public to reelkeep_sweep;
alter view due_upload_sessions owner to reelkeep_sweep;
revoke create on schema public from reelkeep_sweep;

grant select on due_upload_sessions to reelkeep_worker;

-- migrate:down

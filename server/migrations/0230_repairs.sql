-- migrate:up

alter table published_files
  -- Prefix under which a repair stored the files again. Viewers with older playlists continue to use the files of this
  -- row for a day; those that are damaged are read from the new prefix.
  add column replaced_by text collate "C",
  add column replaced_at timestamptz,
  -- When the damaged files are repaired next, and how often that failed.
  add column repair_due_at timestamptz not null default '-infinity',
  add column repairs_failed integer not null default 0,
  -- Until then, a job of this id encodes the files again.
  add column repair_id uuid,
  add column repair_until timestamptz;

create or replace view damaged_file_counts as
  select coalesce(sum(cardinality(damaged)), 0)::bigint as files from published_files
  where damaged <> '{}' and replaced_by is null;

-- Shows the worker which files to repair.
create view damaged_files as
  select organization_id, asset_id, prefix, repair_due_at, repair_until
  from published_files
  where damaged <> '{}' and replaced_by is null
    and not exists (
      select from held_organizations held where held.organization_id = published_files.organization_id);

grant create on schema public to reelkeep_sweep;
alter view damaged_files owner to reelkeep_sweep;
revoke create on schema public from reelkeep_sweep;

grant select on damaged_files to reelkeep_worker;

-- migrate:down

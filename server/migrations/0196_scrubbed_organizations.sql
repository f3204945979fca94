-- migrate:up

create policy sweep on published_files for select to reelkeep_sweep using (true);
grant select on published_files to reelkeep_sweep;

-- Shows the worker in which organization files were not checked for the longest time, and how many are damaged.
create view scrubbed_organizations as
  select id as organization_id,
    (select min(checked_at) from published_files where published_files.organization_id = organizations.id)
      as oldest_check_at
  from organizations
  where not exists (select from held_organizations held where held.organization_id = organizations.id);

create view damaged_file_counts as
  select coalesce(sum(cardinality(damaged)), 0)::bigint as files from published_files where damaged <> '{}';

grant create on schema public to reelkeep_sweep;
alter view scrubbed_organizations owner to reelkeep_sweep;
alter view damaged_file_counts owner to reelkeep_sweep;
revoke create on schema public from reelkeep_sweep;

grant select on scrubbed_organizations, damaged_file_counts to reelkeep_worker;

-- migrate:down

-- migrate:up

create policy sweep on access_tokens for select to reelkeep_sweep using (true);
create policy sweep on spent_passes for select to reelkeep_sweep using (true);
create policy sweep on invitations for select to reelkeep_sweep using (true);
create policy sweep on recovery_links for select to reelkeep_sweep using (true);
grant select (organization_id, expires_at) on access_tokens, spent_passes, invitations, recovery_links
  to reelkeep_sweep;

-- Shows the worker which organizations have credentials that expired a week ago. Requests of an organization delete its
-- own; an organization without requests would keep them for ever. Each table is queried with the index that the
-- organization's own statements use; recovery_links has one row per member at most.
create view organizations_with_expired_rows as
  select id as organization_id from organizations
  where not exists (select from held_organizations held where held.organization_id = organizations.id)
    and (exists (select from access_tokens expired
        where expired.organization_id = organizations.id and expired.expires_at < now() - interval '7 days')
      or exists (select from spent_passes expired
        where expired.organization_id = organizations.id and expired.expires_at < now() - interval '7 days')
      or exists (select from invitations expired
        where expired.organization_id = organizations.id and expired.expires_at < now() - interval '7 days')
      or exists (select from recovery_links expired
        where expired.organization_id = organizations.id and expired.expires_at < now() - interval '7 days'));

grant create on schema public to reelkeep_sweep;
alter view organizations_with_expired_rows owner to reelkeep_sweep;
revoke create on schema public from reelkeep_sweep;

grant select on organizations_with_expired_rows to reelkeep_worker;

-- migrate:down

-- migrate:up

-- What the worker can read across organizations about stored responses: which organizations have expired ones. It then
-- deletes them as that organization, under the normal policy.
create policy sweep on idempotency_keys for select to reelkeep_sweep using (true);
create policy sweep on organizations for select to reelkeep_sweep using (true);
grant select (organization_id, created_at) on idempotency_keys to reelkeep_sweep;
grant select (id) on organizations to reelkeep_sweep;

-- Each organization is queried with the index that its own statements use, so no further index is needed.
create view organizations_with_old_answers as
  select id as organization_id from organizations
  where exists (
    select from idempotency_keys
    where idempotency_keys.organization_id = organizations.id
      and idempotency_keys.created_at <= now() - interval '24 hours');

grant create on schema public to reelkeep_sweep;
alter view organizations_with_old_answers owner to reelkeep_sweep;
revoke create on schema public from reelkeep_sweep;

grant select on organizations_with_old_answers to reelkeep_worker;

-- migrate:down

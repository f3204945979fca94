-- migrate:up

-- Also finds organizations whose days are merged but older than 13 months: an organization without requests and uploads
-- has no slots to merge.
create or replace view organizations_with_old_usage as
  select id as organization_id from organizations
  where (
      exists (
        select from usage_days
        where usage_days.organization_id = organizations.id and slot > 0
          and day < (now() at time zone 'utc')::date - 1)
      or exists (
        select from usage_days
        where usage_days.organization_id = organizations.id
          and day < (date_trunc('month', now() at time zone 'utc') - interval '13 months')::date - 1))
    and not exists (select from held_organizations held where held.organization_id = organizations.id);

-- migrate:down

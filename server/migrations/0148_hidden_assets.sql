-- migrate:up

-- The ids of assets that lists hide. Counts by the index of another table leave them out, but requests do not see the
-- trash, so they read its ids here.
create view hidden_assets as
  select organization_id, id
  from assets
  where organization_id = current_setting('app.organization_id', true)
    and (not is_listed or (status = 'Cancelled' and bytes is null));

-- All assets, with the columns that lists are ordered by. Postgres reads them from the index of the order, without the
-- rows, which the policy that hides the trash would need.
create view all_assets as
  select organization_id, id, title, created_at, updated_at, duration_seconds, bytes
  from assets
  where organization_id = current_setting('app.organization_id', true);

grant create on schema public to reelkeep_search;
alter view hidden_assets owner to reelkeep_search;
alter view all_assets owner to reelkeep_search;
revoke create on schema public from reelkeep_search;

grant select on hidden_assets, all_assets to reelkeep_api;

-- migrate:down

-- migrate:up

-- By default every role of the Postgres server may connect to the database, create temporary tables in it, and resolve
-- names in the schema `public`. Only our roles need that; reelkeep_worker has the rights of reelkeep_api.
do $$
begin
  execute format('revoke all on database %I from public', current_database());
  execute format('grant connect on database %I to reelkeep_api', current_database());
end
$$;

revoke all on schema public from public;
grant usage on schema public to reelkeep_api, reelkeep_search, reelkeep_sweep;

-- migrate:down

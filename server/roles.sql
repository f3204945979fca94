-- The database roles. Run once by a superuser, before the first migration:
--
--   OWNER_PASSWORD=… API_PASSWORD=… psql -f roles.sql
--
-- Running it again changes the passwords and nothing else.
--
--   reelkeep_owner   owns the tables; migrations and the administrator's command line use it
--   reelkeep_api     what the service runs as: neither owner nor superuser, bound by row-level security
--   reelkeep_search  nobody logs in as it; it owns the views through which searches may use their index

\getenv owner_password OWNER_PASSWORD
\getenv api_password API_PASSWORD

select format('create role %I', role)
from unnest(array['reelkeep_owner', 'reelkeep_api', 'reelkeep_search']) as role
where not exists (select from pg_roles where rolname = role)
\gexec

alter role reelkeep_owner login password :'owner_password';
alter role reelkeep_api login password :'api_password';

-- The owner hands the search views to reelkeep_search, which takes membership.
grant reelkeep_search to reelkeep_owner;

-- A search that matches a million rows keeps its bitmap exact only in this much memory; a lossy one
-- rechecks every row of the table.
alter role reelkeep_api set work_mem = '64MB';
-- Lists and searches are short or wide, never worth compiling.
alter role reelkeep_api set jit = off;

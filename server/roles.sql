-- The database roles. Run once by a superuser, before the first migration:
--
--   OWNER_PASSWORD=… API_PASSWORD=… WORKER_PASSWORD=… psql -f roles.sql
--
-- Running it again changes the passwords, and lets roles log in again that were disabled (docs/operations/rotation.md).
--
--   reelkeep_owner   owns the tables; used by migrations and admin commands
--   reelkeep_api     used by the API: neither owner nor superuser, subject to row-level security
--   reelkeep_worker  used by workers: has the rights of reelkeep_api, and access to the job engine's tables
--   reelkeep_search  cannot log in; owns the views in which searches can use their index
--   reelkeep_sweep   cannot log in; owns the views from which workers read which organizations have due work

\getenv owner_password OWNER_PASSWORD
\getenv api_password API_PASSWORD
\getenv worker_password WORKER_PASSWORD

select format('create role %I', role)
from unnest(array['reelkeep_owner', 'reelkeep_api', 'reelkeep_worker', 'reelkeep_search', 'reelkeep_sweep']) as role
where not exists (select from pg_roles where rolname = role)
\gexec

alter role reelkeep_owner login password :'owner_password';
alter role reelkeep_api login password :'api_password';
alter role reelkeep_worker login password :'worker_password';

-- The owner assigns views to these two roles, which requires membership.
grant reelkeep_search, reelkeep_sweep to reelkeep_owner;

-- The policies of reelkeep_api apply too: a job can access only the rows of its own organization.
grant reelkeep_api to reelkeep_worker;

-- The owner suspends organizations: it waits for the transactions that write to them, and terminates those that hang,
-- which also requires membership.
grant reelkeep_worker to reelkeep_owner;

-- A search that matches a million rows keeps an exact bitmap only with this much memory; a lossy bitmap rechecks every
-- row of the table.
alter role reelkeep_api set work_mem = '64MB';
alter role reelkeep_worker set work_mem = '64MB';
-- Lists and searches are too short for JIT compilation to pay off.
alter role reelkeep_api set jit = off;
alter role reelkeep_worker set jit = off;

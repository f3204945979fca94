-- The database roles. Run once by a superuser, before the first migration:
--
--   OWNER_PASSWORD=… API_PASSWORD=… WORKER_PASSWORD=… psql -f roles.sql
--
-- Running it again changes the passwords, and lets roles log in again that were shut (docs/operations/rotation.md).
--
--   reelkeep_owner   owns the tables; migrations and the administrator's command line use it
--   reelkeep_api     what the service runs as: neither owner nor superuser, bound by row-level security
--   reelkeep_worker  what does the work in the background: all that reelkeep_api may, and the job engine's tables
--   reelkeep_search  nobody logs in as it; it owns the views through which searches may use their index
--   reelkeep_sweep   nor as it; it owns the views that tell workers whose work is due

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

-- The owner hands views to these two, which takes membership.
grant reelkeep_search, reelkeep_sweep to reelkeep_owner;

-- With its grants come its policies: a job reaches the rows of its own organization only.
grant reelkeep_api to reelkeep_worker;

-- Whoever holds an organization waits for the transactions that write to it, and ends those that hang. That takes membership, too.
grant reelkeep_worker to reelkeep_owner;

-- A search that matches a million rows keeps its bitmap exact only in this much memory; a lossy one
-- rechecks every row of the table.
alter role reelkeep_api set work_mem = '64MB';
alter role reelkeep_worker set work_mem = '64MB';
-- Lists and searches are short or wide, never worth compiling.
alter role reelkeep_api set jit = off;
alter role reelkeep_worker set jit = off;

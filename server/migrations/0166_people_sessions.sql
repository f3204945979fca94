-- migrate:up

-- How the person signed in: `password`, `passkey` or `oidc`.
alter table people.sessions add column method text collate "C";

-- Organizations are found by person when the person signs in.
-- squawk-ignore require-concurrent-index-creation
create index members_of_person on members (issuer, subject) where removed_at is null;

-- Starts a session, and ends the one of the cookie that it replaces.
create function people.sign_in(
  new_id uuid, hash bytea, replaced_hash bytea, by_issuer text, by_subject text, by_method text,
  lifetime_seconds integer, from_provider_session text, from_address text, from_user_agent text
) returns table (created_at timestamptz, expires_at timestamptz)
language sql security definer set search_path = pg_catalog, pg_temp as $$
  delete from people.sessions where secret_hash = replaced_hash;
  -- Of the sessions of a person, the newest are kept.
  delete from people.sessions where id in (
    select id from people.sessions where issuer = by_issuer and subject = by_subject
    order by last_used_at desc offset 99
  );
  insert into people.sessions
    (id, secret_hash, issuer, subject, method, expires_at, provider_session, address, user_agent)
  values (
    new_id, hash, by_issuer, by_subject, by_method, now() + make_interval(secs => lifetime_seconds),
    from_provider_session, from_address, from_user_agent
  )
  returning created_at, expires_at
$$;

-- The organizations of a person that this cell hosts.
create function people.memberships_of(by_issuer text, by_subject text)
returns table (
  organization_id text, organization_name text, member_id uuid, role text, scopes text[], folder_uuid text, name text,
  email text
)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select member.organization_id, organization.name, member.id, member.role, principal.scopes, principal.folder_uuid,
    principal.name, member.email
  from public.members as member
  join public.tokens as principal
    on principal.organization_id = member.organization_id and principal.id = member.id
  join public.organizations as organization on organization.id = member.organization_id
  where member.issuer = by_issuer and member.subject = by_subject and member.removed_at is null
    and principal.revoked_at is null
  order by organization.name, organization.id limit 1000
$$;

-- Reports the end of sessions to the instances: they check the streams of these organizations.
create function people.notify_ended(by_issuer text, by_subject text) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  select pg_notify('reelkeep_tokens_ended', organization_id) from public.members
  where issuer = by_issuer and subject = by_subject and removed_at is null
$$;

-- Details of a session that is in use.
create function people.describe_session(given_id uuid)
returns table (created_at timestamptz, expires_at timestamptz, method text, provider_session text)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select created_at, expires_at, method, provider_session from people.sessions where id = given_id
$$;

create function people.sessions_of(by_issuer text, by_subject text, idle_seconds integer)
returns table (
  id uuid, created_at timestamptz, last_used_at timestamptz, expires_at timestamptz, method text, address text,
  user_agent text
)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select id, created_at, last_used_at, expires_at, method, address, user_agent from people.sessions
  where issuer = by_issuer and subject = by_subject
    and expires_at > now() and last_used_at > now() - make_interval(secs => idle_seconds)
  order by last_used_at desc, id limit 100
$$;

-- Ends sessions of a person: one, or all but one. Returns how many.
create function people.end_sessions(by_issuer text, by_subject text, only_id uuid, except_id uuid) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  ended integer;
begin
  delete from people.sessions
  where issuer = by_issuer and subject = by_subject and id = coalesce(only_id, id) and id is distinct from except_id;
  get diagnostics ended = row_count;
  if ended > 0 then
    perform people.notify_ended(by_issuer, by_subject);
  end if;
  return ended;
end
$$;

-- Ends the sessions of a sign-out at the identity provider: of one session there, or of the person.
create function people.end_provider_sessions(by_issuer text, by_subject text, by_provider_session text) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  ended integer;
  person text;
begin
  ended := 0;
  for person in
    select distinct subject from people.sessions
    where issuer = by_issuer and subject = coalesce(by_subject, subject)
      and (by_provider_session is null or provider_session = by_provider_session)
  loop
    delete from people.sessions where issuer = by_issuer and subject = person
      and (by_provider_session is null or provider_session = by_provider_session);
    perform people.notify_ended(by_issuer, person);
    ended := ended + 1;
  end loop;
  return ended;
end
$$;
-- The table is new and small.
-- squawk-ignore require-concurrent-index-creation
create index sessions_by_provider_session on people.sessions (issuer, provider_session) where provider_session is not null;

-- Deletes what has ended, at most `row_max` rows of each table.
create function people.delete_ended(row_max integer) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  deleted integer;
  total integer := 0;
begin
  delete from people.sessions where id in (
    select id from people.sessions where expires_at < now() limit row_max for update skip locked
  );
  get diagnostics deleted = row_count;
  total := total + deleted;
  delete from people.challenges where hash in (
    select hash from people.challenges where expires_at < now() limit row_max for update skip locked
  );
  get diagnostics deleted = row_count;
  total := total + deleted;
  delete from people.sign_in_attempts where key in (
    select key from people.sign_in_attempts where forget_at < now() limit row_max for update skip locked
  );
  get diagnostics deleted = row_count;
  total := total + deleted;
  delete from people.known_networks where (account_id, network_hash) in (
    select account_id, network_hash from people.known_networks
    where last_used_at < now() - interval '180 days' limit row_max for update skip locked
  );
  get diagnostics deleted = row_count;
  return total + deleted;
end
$$;

revoke execute on all functions in schema people from public;
grant execute on all functions in schema people to reelkeep_api;

-- migrate:down

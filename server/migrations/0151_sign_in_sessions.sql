-- migrate:up

-- People sign in to the installation, not to an organization, so these rows belong to no organization. Only the owner has
-- access to this schema: the service uses the functions below. The rows are not moved between cells.
create schema people;

create table people.sessions (
  id uuid primary key,
  -- SHA-256 of the cookie. Its secret has 256 random bits.
  secret_hash bytea not null unique check (octet_length(secret_hash) = 32),
  issuer text collate "C" not null,
  subject text collate "C" not null,
  created_at timestamptz not null default now(),
  -- When the person last proved who they are.
  authenticated_at timestamptz not null default now(),
  last_used_at timestamptz not null default now(),
  expires_at timestamptz not null,
  -- The session at the identity provider (`sid`), for its sign-out.
  provider_session text,
  address text,
  user_agent text
);
create index sessions_by_person on people.sessions (issuer, subject);
create index sessions_by_expiry on people.sessions (expires_at);

create function people.start_session(
  new_id uuid, hash bytea, by_issuer text, by_subject text, lifetime_seconds integer, from_provider_session text,
  from_address text, from_user_agent text
) returns timestamptz
language sql security definer set search_path = pg_catalog, pg_temp as $$
  insert into people.sessions
    (id, secret_hash, issuer, subject, expires_at, provider_session, address, user_agent)
  values (
    new_id, hash, by_issuer, by_subject, now() + make_interval(secs => lifetime_seconds), from_provider_session,
    from_address, from_user_agent
  )
  returning expires_at
$$;

-- The session of a cookie, unless it has expired or was not used for `idle_seconds`.
create function people.find_session(hash bytea, idle_seconds integer)
returns table (session_id uuid, issuer text, subject text, authenticated_at timestamptz, ends_at timestamptz)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select id, issuer, subject, authenticated_at, least(expires_at, last_used_at + make_interval(secs => idle_seconds))
  from people.sessions
  where secret_hash = hash and expires_at > now() and last_used_at > now() - make_interval(secs => idle_seconds)
$$;

-- Whether the session of this id still exists and has not expired.
create function people.is_session_live(given_id uuid) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select exists (select from people.sessions where id = given_id and expires_at > now())
$$;

create function people.use_session(given_id uuid) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  update people.sessions set last_used_at = now() where id = given_id
$$;

revoke execute on all functions in schema people from public;
grant usage on schema people to reelkeep_api;
grant execute on all functions in schema people to reelkeep_api;

-- migrate:down

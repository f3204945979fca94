-- migrate:up

-- Accounts of people who sign in here and not at an identity provider. Like the sessions, they belong to the
-- installation. No function returns more than one account.
create table people.accounts (
  id uuid primary key,
  email text not null check (char_length(email) between 3 and 320),
  -- The address as it is compared: without differences of case.
  email_key text collate "C" not null unique check (char_length(email_key) between 3 and 320),
  name text not null check (char_length(name) between 1 and 255),
  -- argon2id in the PHC format, with its parameters.
  password_hash text collate "C" check (char_length(password_hash) <= 500),
  -- Secret of one-time codes, encrypted with the operator's key of this id.
  totp_secret bytea check (octet_length(totp_secret) <= 200),
  totp_key_id text collate "C",
  -- The last time step whose code was used: a code works once.
  totp_step bigint not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  check ((totp_secret is null) = (totp_key_id is null))
);

create table people.passkeys (
  id uuid primary key,
  account_id uuid not null references people.accounts (id) on delete cascade,
  credential_id bytea not null unique check (octet_length(credential_id) between 1 and 1023),
  public_key bytea not null check (octet_length(public_key) between 1 and 4000),
  counter bigint not null,
  transports text[] not null,
  name text not null check (char_length(name) between 1 and 100),
  created_at timestamptz not null default now(),
  last_used_at timestamptz
);
create index passkeys_by_account on people.passkeys (account_id);

-- Values that are accepted once and soon: challenges of passkeys, requests to identity providers, ids of sign-outs.
create table people.challenges (
  hash bytea primary key check (octet_length(hash) = 32),
  kind text collate "C" not null,
  -- SHA-256 of the cookie of the browser that has to bring the value back.
  browser_hash bytea,
  content jsonb not null,
  expires_at timestamptz not null
);
create index challenges_by_expiry on people.challenges (expires_at);

-- Attempts to sign in with a password. Every attempt is counted before the password is checked.
create table people.sign_in_attempts (
  -- SHA-256 of the account's address, of a network, or of both.
  key bytea primary key check (octet_length(key) = 32),
  attempts integer not null,
  -- How often the key was locked; every lock lasts twice as long as the last one.
  locks integer not null default 0,
  locked_until timestamptz,
  forget_at timestamptz not null
);
create index sign_in_attempts_by_end on people.sign_in_attempts (forget_at);

-- Networks from which a person has signed in. Attempts from there are counted apart.
create table people.known_networks (
  account_id uuid not null references people.accounts (id) on delete cascade,
  network_hash bytea not null check (octet_length(network_hash) = 32),
  last_used_at timestamptz not null default now(),
  primary key (account_id, network_hash)
);
create index known_networks_by_use on people.known_networks (last_used_at);

-- Counts an attempt. Returns whether it is refused, because the maximum was reached and the lock has not ended.
create function people.count_attempt(given_key bytea, attempts_max integer, lock_seconds integer) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  counter people.sign_in_attempts;
  instant timestamptz := clock_timestamp();
begin
  -- A locked key is only read: an attack does not write.
  if exists (select from people.sign_in_attempts where key = given_key and locked_until > instant) then
    return true;
  end if;
  insert into people.sign_in_attempts as mine (key, attempts, forget_at)
  values (given_key, 0, instant + interval '1 day')
  on conflict (key) do update set forget_at = mine.forget_at
  returning * into counter;
  -- Another attempt may have locked the key while this one waited for the row.
  if counter.locked_until > instant then
    return true;
  end if;
  if counter.forget_at < instant then
    counter.attempts := 0;
    counter.locks := 0;
  end if;
  counter.attempts := counter.attempts + 1;
  counter.locked_until := null;
  if counter.attempts >= attempts_max then
    counter.locked_until := instant
      + least(make_interval(secs => lock_seconds * power(2, least(counter.locks, 20))), interval '1 day');
    counter.locks := counter.locks + 1;
    counter.attempts := 0;
  end if;
  update people.sign_in_attempts set
    attempts = counter.attempts, locks = counter.locks, locked_until = counter.locked_until,
    forget_at = coalesce(counter.locked_until, instant) + interval '1 day'
  where key = given_key;
  return false;
end
$$;

-- Starts an attempt to sign in with a password. Attempts from a network from which the person has signed in before have
-- a counter of their own; all others are counted for the account and for their network.
create function people.begin_password_sign_in(
  given_email_key text, network_key bytea, account_key bytea, known_key bytea,
  account_max integer, network_max integer, lock_seconds integer
) returns table (
  is_locked boolean, is_known_network boolean, account_id uuid, email text, name text, password_hash text,
  totp_secret bytea, totp_key_id text
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  is_known boolean;
  is_refused boolean;
begin
  is_known := exists (
    select from people.accounts a join people.known_networks n on n.account_id = a.id
    where a.email_key = given_email_key and n.network_hash = network_key
  );
  if is_known then
    is_refused := people.count_attempt(known_key, account_max, lock_seconds);
  else
    -- If the network is locked, the attempt does not count for the account.
    is_refused := people.count_attempt(network_key, network_max, lock_seconds)
      or people.count_attempt(account_key, account_max, lock_seconds);
  end if;
  return query
    select is_refused, is_known, a.id, a.email, a.name, a.password_hash, a.totp_secret, a.totp_key_id
    from (select) as always left join people.accounts a on a.email_key = given_email_key;
end
$$;

-- Records a sign-in of an account: forgets the failed attempts of the account, and remembers the network.
create function people.record_sign_in(given_account uuid, network_key bytea, account_key bytea, known_key bytea)
returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  delete from people.sign_in_attempts where key = known_key;
  -- A key that was locked now was locked by this attempt, which was not a guess. Earlier locks still count: guesses that
  -- continue after the sign-in are not locked for the shortest time again.
  update people.sign_in_attempts set
    attempts = case when key = account_key then 0 else greatest(attempts - 1, 0) end,
    locks = locks - case when locked_until > now() then 1 else 0 end,
    locked_until = null
  where key in (account_key, network_key);
  insert into people.known_networks (account_id, network_hash) values (given_account, network_key)
  on conflict (account_id, network_hash) do update set last_used_at = now();
  delete from people.known_networks where account_id = given_account and network_hash in (
    select network_hash from people.known_networks where account_id = given_account
    order by last_used_at desc offset 20
  );
$$;

create function people.create_account(
  new_id uuid, new_email text, new_email_key text, new_name text, new_password_hash text
) returns boolean
language sql security definer set search_path = pg_catalog, pg_temp as $$
  insert into people.accounts (id, email, email_key, name, password_hash)
  values (new_id, new_email, new_email_key, new_name, new_password_hash)
  on conflict do nothing
  returning true
$$;

create function people.find_account(given_id uuid, given_email_key text)
returns table (
  account_id uuid, email text, name text, has_password boolean, totp_secret bytea, totp_key_id text, passkeys bigint
)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select id, email, name, password_hash is not null, totp_secret, totp_key_id,
    (select count(*) from people.passkeys where passkeys.account_id = accounts.id)
  from people.accounts where id = given_id or email_key = given_email_key limit 1
$$;

create function people.set_password(given_account uuid, new_hash text) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  update people.accounts set password_hash = new_hash, updated_at = now() where id = given_account
$$;

create function people.set_totp(given_account uuid, new_secret bytea, new_key_id text, new_step bigint) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  update people.accounts set totp_secret = new_secret, totp_key_id = new_key_id, totp_step = new_step, updated_at = now()
  where id = given_account
$$;

-- Uses the code of a time step. Returns nothing if it or a later one was used before.
create function people.use_totp_step(given_account uuid, step bigint) returns boolean
language sql security definer set search_path = pg_catalog, pg_temp as $$
  update people.accounts set totp_step = step where id = given_account and totp_step < step returning true
$$;

create function people.add_passkey(
  new_id uuid, given_account uuid, new_credential_id bytea, new_public_key bytea, new_counter bigint,
  new_transports text[], new_name text, passkeys_max integer
) returns timestamptz
language sql security definer set search_path = pg_catalog, pg_temp as $$
  -- The lock keeps concurrent requests below the maximum.
  select from people.accounts where id = given_account for update;
  insert into people.passkeys (id, account_id, credential_id, public_key, counter, transports, name)
  select new_id, given_account, new_credential_id, new_public_key, new_counter, new_transports, new_name
  where (select count(*) from people.passkeys where account_id = given_account) < passkeys_max
  on conflict do nothing
  returning created_at
$$;

create function people.passkeys_of(given_account uuid)
returns table (
  id uuid, credential_id bytea, transports text[], name text, created_at timestamptz, last_used_at timestamptz
)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select id, credential_id, transports, name, created_at, last_used_at
  from people.passkeys where account_id = given_account order by id limit 100
$$;

create function people.find_passkey(given_credential_id bytea)
returns table (id uuid, account_id uuid, public_key bytea, counter bigint, transports text[])
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select id, account_id, public_key, counter, transports from people.passkeys where credential_id = given_credential_id
$$;

-- Records the use of a passkey. Returns nothing if its counter has changed since it was read.
create function people.use_passkey(given_id uuid, old_counter bigint, new_counter bigint) returns boolean
language sql security definer set search_path = pg_catalog, pg_temp as $$
  update people.passkeys set counter = new_counter, last_used_at = now()
  where id = given_id and counter = old_counter returning true
$$;

-- Removes a passkey. Returns `last` if the account could not be used any more, and nothing if the passkey does not exist.
create function people.remove_passkey(given_account uuid, given_id uuid, other_methods boolean) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform from people.accounts where id = given_account for update;
  if not exists (select from people.passkeys where account_id = given_account and id = given_id) then
    return null;
  end if;
  if not other_methods and (select count(*) from people.passkeys where account_id = given_account) = 1 then
    return 'last';
  end if;
  delete from people.passkeys where account_id = given_account and id = given_id;
  return 'removed';
end
$$;

-- Returns nothing if the value exists already.
create function people.add_challenge(
  given_hash bytea, given_kind text, given_browser_hash bytea, given_content jsonb, lifetime_seconds integer
) returns boolean
language sql security definer set search_path = pg_catalog, pg_temp as $$
  insert into people.challenges (hash, kind, browser_hash, content, expires_at)
  values (given_hash, given_kind, given_browser_hash, given_content, now() + make_interval(secs => lifetime_seconds))
  on conflict do nothing
  returning true
$$;

-- Removes a challenge and returns its content. Only one of several concurrent calls gets it.
create function people.take_challenge(given_hash bytea, given_kind text, given_browser_hash bytea) returns jsonb
language sql security definer set search_path = pg_catalog, pg_temp as $$
  delete from people.challenges
  where hash = given_hash and kind = given_kind and browser_hash = given_browser_hash and expires_at > now()
  returning content
$$;

revoke execute on all functions in schema people from public;
grant execute on all functions in schema people to reelkeep_api;

-- migrate:down

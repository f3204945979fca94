-- migrate:up

-- Records a sign-in of an account: resets the counters that its attempt used, and remembers the network. A sign-in from
-- a known network does not end the lock of attempts from elsewhere: these are not the person's.
create or replace function people.record_sign_in(
  given_account uuid, network_key bytea, account_key bytea, known_key bytea
) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if exists (
    select from people.known_networks where account_id = given_account and network_hash = network_key
  ) then
    delete from people.sign_in_attempts where key = known_key;
  else
    -- A key that is locked now was locked by this attempt, which was not a guess. Earlier locks still count: guesses
    -- that continue after the sign-in are not locked for the shortest time again.
    update people.sign_in_attempts set
      attempts = case when key = account_key then 0 else greatest(attempts - 1, 0) end,
      locks = locks - case when locked_until > now() then 1 else 0 end,
      locked_until = null
    where key in (account_key, network_key);
  end if;
  insert into people.known_networks (account_id, network_hash) values (given_account, network_key)
  on conflict (account_id, network_hash) do update set last_used_at = now();
  delete from people.known_networks where account_id = given_account and network_hash in (
    select network_hash from people.known_networks where account_id = given_account
    order by last_used_at desc offset 20
  );
end
$$;

-- migrate:down

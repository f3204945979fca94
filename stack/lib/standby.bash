# A streaming standby of the instance's PostgreSQL, for failovers. Its data is a copy made by pg_basebackup.

standby_data() { echo "$(postgres_home)/standby"; }
standby_log() { echo "$(postgres_home)/standby.log"; }

standby_exists() { [[ -f $(standby_data)/PG_VERSION ]]; }

# Whether the standby is the primary now. PostgreSQL deletes the file when it promotes a server.
standby_is_promoted() { standby_exists && [[ ! -e $(standby_data)/standby.signal ]]; }

# standby_up async|sync: creates the standby if there is none, and returns when it receives changes. With `sync`, commits
# wait until the standby has stored them.
standby_up() {
  find_postmaster >/dev/null || fail "PostgreSQL does not run"
  ! standby_is_promoted || fail "the standby was promoted; delete the instance with stack/wipe"
  standby_exists || standby_create
  standby_start
  standby_wait "a standby that receives changes" "select 1 from pg_stat_replication where state = 'streaming'"
  local names=
  [[ $1 == async ]] || names=standby
  primary_sql -c "alter system set synchronous_standby_names = '$names'" -c 'select pg_reload_conf()' >/dev/null
  # A reload takes a moment; a test that starts before it would lose what it believes to be replicated.
  standby_wait "the $1 standby" "select 1 from pg_stat_replication where sync_state = '$1'"
}

# The standby gets no further changes: what the primary commits from now on is lost by a promotion.
standby_detach() {
  standby_exists || fail "there is no standby (stack/fault standby creates it)"
  standby_sql -c "alter system set primary_conninfo = ''" -c 'select pg_reload_conf()' >/dev/null
  standby_wait "the end of replication" "select 1 where not exists (select from pg_stat_replication)"
}

# Kills the primary and returns when the standby accepts writes.
standby_promote() {
  standby_exists || fail "there is no standby (stack/fault standby creates it)"
  standby_sql -c "alter system set synchronous_standby_names = ''" >/dev/null
  postgres_kill
  as_postgres "$(postgres_bin)/pg_ctl" promote -D "$(standby_data)" -w -t "$STACK_TIMEOUT_SECONDS" -s ||
    fail_with_logs "the standby was not promoted" "$(standby_log)"
}

# standby_down fast|immediate
standby_down() {
  ! as_postgres "$(postgres_bin)/pg_ctl" status -D "$(standby_data)" >/dev/null 2>&1 ||
    as_postgres "$(postgres_bin)/pg_ctl" stop -D "$(standby_data)" -m "$1" -w -t "$STACK_TIMEOUT_SECONDS" -s ||
    fail_with_logs "the standby did not stop" "$(standby_log)"
}

standby_create() {
  local data
  data=$(standby_data)
  say "postgres: copying the data for a standby"
  as_postgres rm -rf -- "$data"
  PGPASSWORD=$superuser_password as_postgres "$(postgres_bin)/pg_basebackup" --pgdata "$data" --host "$host" \
    --port "$postgres_port" --username postgres --checkpoint fast --no-password 2>>"$(postgres_log)" ||
    fail_with_logs "pg_basebackup failed" "$(postgres_log)"
  as_postgres touch -- "$data/standby.signal"
  as_postgres tee -a "$data/postgresql.auto.conf" >/dev/null <<CONF
port = $standby_port
primary_conninfo = 'host=$host port=$postgres_port user=postgres password=$superuser_password application_name=standby'
CONF
}

standby_start() {
  ! as_postgres "$(postgres_bin)/pg_ctl" status -D "$(standby_data)" >/dev/null 2>&1 || return 0
  postgres_run "$(standby_data)" "$(standby_log)" || fail_with_logs "the standby did not start" "$(standby_log)"
  say "postgres: standby started on $host:$standby_port"
}

primary_sql() { psql_as postgres "$superuser_password" postgres "$@"; }
standby_sql() { postgres_port=$standby_port psql_as postgres "$superuser_password" postgres "$@"; }

# standby_wait WHAT QUERY: returns when the query on the primary returns a row.
standby_wait() {
  local deadline=$((SECONDS + STACK_TIMEOUT_SECONDS))
  until [[ -n $(primary_sql -c "$2") ]]; do
    (( SECONDS < deadline )) || fail_with_logs "waited in vain for $1" "$(standby_log)"
    sleep 0.05
  done
}

# PostgreSQL of one instance: created by initdb, run by pg_ctl, listening on 127.0.0.1.
#
# PostgreSQL refuses to run as root. If root runs the stack, the server and its files belong to the user `postgres`
# of Debian's package; otherwise to the user who runs the stack.

postgres_up() {
  postgres_bin >/dev/null || exit 1
  # Two servers that accept writes would diverge.
  ! standby_is_promoted || fail "the standby was promoted, so the old primary must not start; use stack/wipe"
  if ! postgres_exists; then postgres_create; fi
  if find_postmaster >/dev/null; then
    postgres_note_settings
  else
    postgres_start
  fi
  postgres_prepare_database
  say "postgres: ready on $host:$postgres_port"
}

# postgres_down fast|immediate. For the data `immediate` is a crash: no checkpoint, and the next start recovers. Unlike
# kill -9 of everything it releases the shared memory.
postgres_down() {
  postgres_exists || return 0
  if find_postmaster >/dev/null; then
    # Processes that a test has paused with SIGSTOP would keep the server from ending.
    postgres_pids | xargs -r kill -s CONT 2>/dev/null || true
    as_postgres "$(postgres_bin)/pg_ctl" stop -D "$(postgres_data)" -m "$1" -w -t "$STACK_TIMEOUT_SECONDS" -s ||
      fail_with_logs "PostgreSQL did not stop" "$(postgres_log)"
  fi
  postgres_end_orphans 0
  if standby_exists; then standby_down "$1"; fi
  say "postgres: stopped"
}

# Deletes files outside of the instance's directory. The server is stopped.
postgres_forget() {
  local home
  home=$(postgres_home)
  [[ $home != /var/tmp/reelkeep-stack.* ]] || rm -rf -- "$home"
}

postgres_assert_ports_free() {
  find_postmaster >/dev/null || assert_port_free "$postgres_port" PostgreSQL
}

# Whether the database accepts connections of the application's role.
postgres_answers() {
  [[ $(psql_as reelkeep_api "$api_password" reelkeep -c 'select 1' 2>/dev/null) == 1 ]]
}

# --- where things are ------------------------------------------------------------------------------------------

# The path is a symbolic link out of the instance's directory if PostgreSQL's user cannot enter that directory.
postgres_home() { readlink -m -- "$instance_directory/postgres"; }
postgres_data() { echo "$(postgres_home)/data"; }
postgres_log() { echo "$(postgres_home)/postgres.log"; }

postgres_exists() {
  [[ -f $(postgres_data)/PG_VERSION ]]
}

# Data can only be opened by the version that created it; new data is created by the newest one. The path is explicit
# because a `postgres` in PATH may be anything.
postgres_bin() {
  local version bin
  if postgres_exists; then
    version=$(<"$(postgres_data)/PG_VERSION")
    bin=/usr/lib/postgresql/$version/bin
    [[ -x $bin/postgres ]] || fail "this instance's data needs PostgreSQL $version, which is not installed." \
      "Install postgresql-$version, or delete the instance with stack/wipe."
    echo "$bin"
  else
    find_postgres_bin || fail "no PostgreSQL server under /usr/lib/postgresql (Debian's package: postgresql)"
  fi
}

find_postgres_bin() {
  local bin
  bin=$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)
  [[ -x $bin/initdb && -x $bin/postgres ]] && echo "$bin"
}

# --- who runs it -----------------------------------------------------------------------------------------------

as_postgres() {
  if (( EUID == 0 )); then
    # Runs from /, because PostgreSQL's user may not have access to the caller's directory.
    (cd / && exec setpriv --reuid=postgres --regid=postgres --init-groups -- "$@")
  else
    "$@"
  fi
}

psql_as() {
  local role=$1 password=$2 database=$3
  shift 3
  PGPASSWORD=$password PGCONNECT_TIMEOUT=10 "$(postgres_bin)/psql" --host "$host" --port "$postgres_port" \
    --username "$role" --dbname "$database" --no-psqlrc --quiet --tuples-only --no-align --no-password \
    --set ON_ERROR_STOP=1 "$@"
}

find_postmaster() {
  local pid words=() pid_file
  pid_file=$(postgres_data)/postmaster.pid
  { read -r pid <"$pid_file"; } 2>/dev/null || return 1
  { mapfile -d '' -t words <"/proc/$pid/cmdline"; } 2>/dev/null || return 1
  [[ ${words[*]} == */postgres\ -D\ "$(postgres_data)" ]] && echo "$pid"
}

# All processes of the server, also those that a killed postmaster left behind: their working directory is the data
# directory. Queried as PostgreSQL's user, because in a container even root may not inspect another user's process.
postgres_pids() {
  # shellcheck disable=SC2016 # expanded by the inner shell
  as_postgres bash -c 'for p in /proc/[0-9]*; do [[ $p/cwd -ef $1 ]] && echo "${p#/proc/}"; done; true' \
    bash "$(postgres_data)"
}

# --- creating it -----------------------------------------------------------------------------------------------

postgres_create() {
  local home bin
  postgres_make_home
  home=$(postgres_home)
  bin=$(postgres_bin)
  say "postgres: creating data for PostgreSQL $(basename "$(dirname "$bin")")"
  # Created under another name and then renamed, so that an interrupted initdb leaves nothing that looks like data.
  as_postgres rm -rf -- "$home/data.new"
  as_postgres tee "$home/superuser-password" <<<"$superuser_password" >/dev/null
  as_postgres "$bin/initdb" -D "$home/data.new" --username=postgres --pwfile="$home/superuser-password" \
    --auth=scram-sha-256 --locale=C.UTF-8 --encoding=UTF8 --data-checksums \
    </dev/null >"$home/initdb.log" 2>&1 ||
    fail_with_logs "initdb failed" "$home/initdb.log"
  as_postgres rm -f -- "$home/superuser-password"
  as_postgres mv -- "$home/data.new" "$home/data"
}

# Every parent directory must be accessible to PostgreSQL's user. If one is not (a checkout in /root, a mount that
# ignores chown), the data is stored in /var/tmp, which survives a reboot.
postgres_make_home() {
  local home=$instance_directory/postgres
  [[ ! -d $home ]] || { as_postgres test -w "$(postgres_home)" && return; }
  [[ -e $home || -L $home ]] || mkdir -- "$home"
  (( EUID == 0 )) || return 0
  chown postgres:postgres -- "$home" 2>/dev/null || true
  ! as_postgres test -w "$home" || return 0
  rm -rf -- "$home"
  ln -s -- "$(mktemp -d /var/tmp/reelkeep-stack.XXXXXX)" "$home"
  chown postgres:postgres -- "$home/"
  say "postgres: the user postgres has no access to $instance_directory, so the data is stored in $(postgres_home)"
}

postgres_prepare_database() {
  local applied roles
  applied=$(postgres_home)/roles-applied
  [[ -r $STACK_ROLES_FILE ]] ||
    fail "$STACK_ROLES_FILE is missing: PostgreSQL runs, but without the application's roles and database"
  roles=$(cksum <"$STACK_ROLES_FILE")
  # Applied again only if the file changed or the application cannot log in: altering roles during tests would
  # disturb them.
  if [[ -r $applied && $(<"$applied") == "$roles" ]] && postgres_answers; then return; fi
  say "postgres: creating roles and database"
  OWNER_PASSWORD=$owner_password API_PASSWORD=$api_password WORKER_PASSWORD=$worker_password \
    postgres_run_sql --file "$STACK_ROLES_FILE"
  postgres_run_sql <<'SQL'
select 'create database reelkeep owner reelkeep_owner'
 where not exists (select from pg_database where datname = 'reelkeep') \gexec
-- The extension is created outside of the application's database, whose schema belongs to the migrations. It reports
-- statements of all databases.
select 'create extension if not exists pg_stat_statements'
 where current_setting('shared_preload_libraries') like '%pg_stat_statements%' \gexec
SQL
  postgres_answers ||
    fail_with_logs "the role reelkeep_api of $STACK_ROLES_FILE cannot use the database reelkeep" "$(postgres_log)"
  as_postgres tee "$applied" <<<"$roles" >/dev/null
}

postgres_run_sql() {
  # Suppresses notices such as "role already exists, skipping".
  PGOPTIONS='-c client_min_messages=warning' psql_as postgres "$superuser_password" postgres "$@" >&2 ||
    fail "preparing the database failed, see the message above"
}

# --- running it ------------------------------------------------------------------------------------------------

postgres_start() {
  local log
  log=$(postgres_log)
  postgres_end_orphans 5
  postgres_remove_stale_locks
  postgres_conf | as_postgres tee "$(postgres_data)/postgresql.conf" >/dev/null
  trim_log "$log"
  postgres_run "$(postgres_data)" "$log" || fail_with_logs "PostgreSQL did not start" "$log"
  say "postgres: server started"
}

# postgres_run DATA LOG: starts a server and returns when it accepts connections.
postgres_run() {
  local clock=()
  if [[ $STACK_POSTGRES_CLOCK == settable ]]; then
    install_missing clock
    [[ -e $(postgres_clock_file) ]] || postgres_set_clock 0
    # Set by `env`, so for PostgreSQL's user alone: the library shares memory between the processes of a user. Time
    # limits use the monotonic clock, which stays real.
    clock=(env "LD_PRELOAD=$(compgen -G "$faketime_libraries")" "FAKETIME_TIMESTAMP_FILE=$(postgres_clock_file)"
      FAKETIME_NO_CACHE=1 FAKETIME_DONT_FAKE_MONOTONIC=1)
  fi
  run_daemon /dev/null as_postgres "${clock[@]}" "$(postgres_bin)/pg_ctl" start -D "$1" -l "$2" \
    -w -t "$STACK_TIMEOUT_SECONDS" -s
}

postgres_clock_file() { echo "$(postgres_home)/clock"; }

# postgres_set_clock SECONDS: sets the clock of the server, and of its standby, to the real time plus these seconds.
postgres_set_clock() {
  local file
  file=$(postgres_clock_file)
  printf '%+d' "$1" | as_postgres tee "$file.new" >/dev/null
  # Renamed, because the server may read the file at any time.
  as_postgres mv -- "$file.new" "$file"
}

# postgres_end_orphans SECONDS: after kill -9 of the postmaster its children end by themselves, except one that runs
# a long statement. The server cannot start again before they have ended.
postgres_end_orphans() {
  local deadline=$((SECONDS + $1)) pids
  while pids=$(postgres_pids) && [[ -n $pids ]]; do
    (( SECONDS < deadline )) || xargs kill -s KILL <<<"$pids" 2>/dev/null || true
    sleep 0.05
  done
}

# Removes the lock files of a killed server. They would block the next start for as long as a process has the old PID, and
# that can be forever: in a container without an init process the killed one stays in the table as a zombie. Called only
# when no process of the server is left.
postgres_remove_stale_locks() {
  local lock
  as_postgres rm -f -- "$(postgres_data)/postmaster.pid"
  # Outside of the instance (in /tmp) the same name may belong to another server; the second line names its data directory.
  lock=$(postgres_socket_directory)/.s.PGSQL.$postgres_port.lock
  if [[ -e $lock && $(sed -n 2p "$lock") == "$(postgres_data)" ]]; then as_postgres rm -f -- "$lock" "${lock%.lock}"; fi
}

# A running server keeps its settings until the user restarts it.
postgres_note_settings() {
  [[ "$(postgres_conf)" == "$(<"$(postgres_data)/postgresql.conf")" ]] ||
    say "postgres: settings changed; stack/down postgres, then stack/up, applies them"
}

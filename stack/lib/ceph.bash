# Ceph of one instance: a monitor (mon.a), osds (osd.0 ...) and radosgw (client.rgw), which provides S3. No root, no
# systemd, no container.

ceph_directory=$instance_directory/ceph
ceph_conf_file=$ceph_directory/ceph.conf
user_log=$ceph_directory/log/user.out

ceph_up() {
  local run
  run=$(ceph_run_directory)
  mkdir -p -- "$ceph_directory/log" "$ceph_directory/crash" "$ceph_directory/rgw" "$run"
  # In /tmp another user could have created the directory first.
  { [[ -O $run && ! -L $run ]] && chmod 700 -- "$run"; } || fail "$run belongs to another user"
  if ceph_exists; then
    if ! find_daemon client.rgw >/dev/null; then write_ceph_conf; fi
    start_daemon mon.a
    start_osds
  else
    # A failed creation keeps its logs, but stops its daemons.
    trap 'ceph_down immediate' EXIT
    trap 'exit 143' TERM
    ceph_create
    trap - EXIT TERM
    touch "$ceph_directory/created"
  fi
  # A cluster of an earlier version lacks this user.
  [[ -e $ceph_directory/upload-user ]] || create_upload_user
  start_daemon client.rgw
  ceph_wait_until_s3_answers
  say "ceph: S3 is ready on $storage_endpoint"
}

# ceph_down fast|immediate. `immediate` is kill -9.
ceph_down() {
  local name signal=KILL pids=()
  [[ $1 != fast ]] || signal=TERM
  [[ -d $ceph_directory ]] || return 0
  if [[ $signal == KILL ]]; then
    # Kills all daemons at once, like a power failure.
    for name in $(daemon_names); do pids+=("$(find_daemon "$name" || true)"); done
    # shellcheck disable=SC2068 # empty ones must vanish
    kill -s KILL ${pids[@]} 2>/dev/null || true
  fi
  # A hanging daemon would block the others.
  for name in $(daemon_names); do resume_daemon "$name"; done
  # Clients are stopped first: a radosgw without osds would wait for them instead of ending.
  stop_daemon client.rgw "$signal"
  for name in $(osd_names); do stop_daemon "$name" "$signal" & done
  wait
  stop_daemon mon.a "$signal"
  say "ceph: stopped"
}

# Deletes files outside of the instance's directory. The daemons are stopped.
ceph_forget() {
  rm -rf -- "$(ceph_run_directory)"
}

ceph_exists() {
  [[ -e $ceph_directory/created ]]
}

ceph_assert_ports_free() {
  local port
  find_daemon client.rgw >/dev/null || assert_port_free "$s3_port" S3
  find_daemon mon.a >/dev/null || assert_port_free "$mon_port" "Ceph monitor"
  if ceph_exists; then return; fi
  for ((port = osd_port_first; port <= osd_port_last; port++)); do assert_port_free "$port" "Ceph osd"; done
}

# --- daemons ---------------------------------------------------------------------------------------------------

osd_names() {
  local id
  for ((id = 0; id < STACK_OSDS; id++)); do echo "osd.$id"; done
}

daemon_names() {
  echo mon.a
  osd_names
  echo client.rgw
}

# daemon_command NAME: sets `command`, which is also how the daemon is recognized in the process table.
daemon_command() {
  case $1 in
    mon.*) command=(ceph-mon -c "$ceph_conf_file" -i "${1#mon.}") ;;
    osd.*) command=(ceph-osd -c "$ceph_conf_file" -i "${1#osd.}") ;;
    client.*) command=(radosgw -c "$ceph_conf_file" -n "$1") ;;
  esac
}

find_daemon() {
  local command
  daemon_command "$1"
  find_process "${command[@]}"
}

start_daemon() {
  local name=$1 command
  find_daemon "$name" >/dev/null && return
  daemon_command "$name"
  trim_log "$ceph_directory/log/$name.log"
  run_daemon "$ceph_directory/log/$name.out" "${command[@]}" || fail_with_daemon_log "$name" "did not start"
  say "ceph: $name started"
}

start_osds() {
  local name jobs=() job
  for name in $(osd_names); do
    start_daemon "$name" &
    jobs+=($!)
  done
  # The daemon that failed has already reported its error.
  for job in "${jobs[@]}"; do wait "$job" || exit 1; done
}

stop_daemon() {
  local command
  daemon_command "$1"
  end_process "$2" "${command[@]}"
}

resume_daemon() {
  local pid
  ! pid=$(find_daemon "$1") || kill -s CONT "$pid" 2>/dev/null || true
}

fail_with_daemon_log() {
  fail_with_logs "ceph: $1 $2" "$ceph_directory/log/$1.out" "$ceph_directory/log/$1.log"
}

# --- creating it -----------------------------------------------------------------------------------------------

ceph_create() {
  local mon_job osd_jobs=() job id uuids=()
  ceph_down immediate 2>/dev/null # left over from an interrupted creation
  say "ceph: creating a cluster with $STACK_OSDS osd(s)"
  rm -rf -- "$ceph_directory/mon" "$ceph_directory"/osd[0-9]*
  mkdir -- "$ceph_directory/mon"
  cat /proc/sys/kernel/random/uuid >"$ceph_directory/fsid"
  : >"$ceph_directory/keyring"
  write_ceph_conf

  # The stores of the osds are created in parallel with the monitor, because neither depends on the other yet.
  { make_mon_store && start_daemon mon.a; } &
  mon_job=$!
  for ((id = 0; id < STACK_OSDS; id++)); do
    uuids+=("$(</proc/sys/kernel/random/uuid)")
    make_osd_store "$id" "${uuids[id]}" &
    osd_jobs+=($!)
  done
  wait "$mon_job" || exit 1
  ask_cluster register "${uuids[@]}" || fail_with_daemon_log mon.a "does not accept the osds and pools"
  for job in "${osd_jobs[@]}"; do wait "$job" || exit 1; done

  start_osds
  ask_cluster wait-osds "$STACK_OSDS" || fail_with_daemon_log osd.0 "did not come up"
  create_s3_user
}

make_mon_store() {
  local log=$ceph_directory/log/mon.a.mkfs
  {
    monmaptool --create --clobber --fsid "$(<"$ceph_directory/fsid")" --addv a "[v2:$host:$mon_port]" \
      "$ceph_directory/monmap" &&
      ceph-mon -c "$ceph_conf_file" --mkfs -i a --monmap "$ceph_directory/monmap"
  } >"$log" 2>&1 || fail_with_logs "ceph: failed to create the monitor's store" "$log"
}

make_osd_store() {
  local log=$ceph_directory/log/osd.$1.mkfs
  mkdir -- "$ceph_directory/osd$1"
  ceph-osd -c "$ceph_conf_file" --no-mon-config --mkfs -i "$1" --osd-uuid "$2" >"$log" 2>&1 ||
    fail_with_logs "ceph: failed to create the store of osd.$1" "$log"
}

create_s3_user() {
  administer_users create --uid=development --display-name=development \
    --access-key="$storage_access_key_id" --secret-key="$storage_secret_access_key" \
    --caps='users=*;buckets=*;metadata=*;usage=*' || fail_with_logs "ceph: failed to create the S3 user" "$user_log"
  say "ceph: S3 user created"
}

# The user whose key signs uploads. The key belongs to a subuser that may only write: the user owns the objects that it
# puts, and could read them otherwise. The bucket's policy, which setup-storage writes, decides where it may put them.
create_upload_user() {
  local user=development-uploads
  administer_users info --uid=$user ||
    administer_users create --uid=$user --display-name=$user --max-buckets=-1 --subuser=$user:put --access=write \
      --key-type=s3 --access-key="$upload_access_key_id" --secret-key="$upload_secret_access_key" ||
    fail_with_logs "ceph: failed to create the S3 user for uploads" "$user_log"
  touch "$ceph_directory/upload-user"
  say "ceph: S3 user for uploads created"
}

administer_users() {
  timeout "$STACK_TIMEOUT_SECONDS" radosgw-admin -c "$ceph_conf_file" user "$@" >"$user_log" 2>&1
}

write_ceph_conf() {
  ceph_conf >"$ceph_conf_file.new"
  mv -- "$ceph_conf_file.new" "$ceph_conf_file"
}

# --- querying it -----------------------------------------------------------------------------------------------

# ask_cluster COMMAND...: see ceph-cluster.py. The ceph command would take half a second per call.
ask_cluster() {
  # Debian's python, by its full path: another python3 earlier in PATH lacks the module.
  CEPH_CONF=$ceph_conf_file CLUSTER_TIMEOUT_SECONDS=${cluster_timeout_seconds:-$STACK_TIMEOUT_SECONDS} \
    timeout --kill-after=5 $((STACK_TIMEOUT_SECONDS + 10)) /usr/bin/python3 "$library/ceph-cluster.py" "$@"
}

# Prints the HTTP status of a signed request (000: no response).
s3_status() {
  # curl does not add x-amz-content-sha256 by itself, and radosgw rejects the signature without it.
  curl -q --silent --noproxy '*' --max-time 5 --output /dev/null --write-out '%{http_code}' \
    --user "$storage_access_key_id:$storage_secret_access_key" --aws-sigv4 "aws:amz:$storage_region:s3" \
    --header 'x-amz-content-sha256: UNSIGNED-PAYLOAD' "$storage_endpoint/" || true
}

ceph_answers() {
  [[ $(s3_status) == 200 ]]
}

ceph_wait_until_s3_answers() {
  local status name misses=0 deadline=$((SECONDS + STACK_TIMEOUT_SECONDS))
  while (( SECONDS < deadline )); do
    status=$(s3_status)
    case $status in
      200) return ;;
      403) fail_with_daemon_log client.rgw "refuses the development keys; run stack/wipe and stack/up to recreate it" ;;
    esac
    # While a daemon forks into the background, the check may briefly not find it; a dead daemon stays missing.
    name=$(first_missing_daemon) && misses=$((misses + 1)) || misses=0
    (( misses < 10 )) || fail_with_daemon_log "$name" "died"
    sleep 0.05
  done
  fail_with_daemon_log client.rgw "responded to no signed request within $STACK_TIMEOUT_SECONDS s (last status: $status)"
}

first_missing_daemon() {
  local name
  for name in $(daemon_names); do
    find_daemon "$name" >/dev/null || { echo "$name"; return 0; }
  done
  return 1
}

# An instance is a directory:
#
#   instance    marks the directory as an instance and stores its settings
#   lock        held by the one command that may change the instance
#   env         environment variables for applications
#   postgres/   data, socket and log of PostgreSQL (a link to another folder if PostgreSQL's user has no access here)
#   ceph/       ceph.conf, log, mon, osd0 ...

instance_file=$instance_directory/instance
env_file=$instance_directory/env

instance_exists() {
  [[ -f $instance_file ]]
}

# A directory that stack/up did not create is never filled and never deleted. One that contains only the lock is being
# created by a running `up`.
assert_directory_is_ours() {
  [[ -e $instance_directory ]] || return 0
  [[ -d $instance_directory ]] || fail "$instance_directory is not a directory"
  if ! instance_exists && [[ -n $(find "$instance_directory" -mindepth 1 -maxdepth 1 ! -name lock -print -quit) ]]; then
    # It was created between the two checks.
    instance_exists || fail "$instance_directory is not empty and not an instance of this stack; it stays untouched"
  fi
  ! instance_exists || [[ -O $instance_file ]] ||
    fail "$instance_directory belongs to $(stat -c %U -- "$instance_file"); run this command as that user"
}

# One command at a time changes an instance. The lock ends with the process that holds it.
lock_instance() {
  while true; do
    assert_directory_is_ours
    mkdir -p -- "$instance_directory"
    exec 9>"$instance_directory/lock"
    if ! flock -n 9; then
      say "waiting for another stack command that uses this instance"
      flock -w "$STACK_TIMEOUT_SECONDS" 9 ||
        fail "another stack command has been busy with $instance_directory for $STACK_TIMEOUT_SECONDS s"
    fi
    # `wipe` deletes the directory with the lock in it; a command that waited then holds the lock of a deleted file.
    [[ $instance_directory/lock -ef /proc/self/fd/9 ]] && return
  done
}

# Reads the settings from the environment, else from the instance, else the defaults; saves them. Only `up` does this.
settle_settings() {
  local name
  for name in "${!remembered_defaults[@]}"; do
    [[ -v $name ]] || printf -v "$name" %s "$(remembered "$name")"
  done
  assert_settings_make_sense
  if postgres_exists || ceph_exists; then assert_unchanged STACK_PORT; fi
  if ceph_exists; then assert_unchanged STACK_OSDS; assert_unchanged STACK_OSD_SIZE; fi
  {
    echo "# A Reelkeep development stack. stack/wipe deletes this directory."
    for name in "${!remembered_defaults[@]}"; do printf '%s=%s\n' "$name" "${!name}"; done | sort
  } >"$instance_file"
  derive_ports
}

# Reads the settings of an existing instance, ignoring the environment. Every command except `up` does this.
recall_settings() {
  local name
  instance_exists || fail "there is no instance in $instance_directory (stack/up creates one)"
  for name in "${!remembered_defaults[@]}"; do printf -v "$name" %s "$(remembered "$name")"; done
  derive_ports
}

remembered() {
  if instance_exists && grep -q "^$1=" "$instance_file"; then
    sed -n "s/^$1=//p" "$instance_file"
  else
    printf %s "${remembered_defaults[$1]}"
  fi
}

assert_unchanged() {
  [[ ${!1} == "$(remembered "$1")" ]] ||
    fail "this instance was created with $1=$(remembered "$1"), and $1 is now ${!1}." \
      "Unset it, or choose another STACK_NAME, or delete the instance with stack/wipe."
}

assert_settings_make_sense() {
  local word words
  { [[ $STACK_PORT =~ ^[1-9][0-9]{3,4}$ ]] &&
    (( STACK_PORT >= 1024 && STACK_PORT + ports_per_instance <= 65536 )); } ||
    fail "STACK_PORT must be a port from 1024 to $((65536 - ports_per_instance)), not \"$STACK_PORT\""
  { [[ $STACK_OSDS =~ ^[0-9]$ ]] && (( STACK_OSDS >= 1 && STACK_OSDS <= osds_max )); } ||
    fail "STACK_OSDS must be 1 to $osds_max, not \"$STACK_OSDS\""
  # An osd below 6 GB that runs full crashes and never starts again; a larger one only stops accepting writes.
  { [[ $STACK_OSD_SIZE =~ ^([1-9][0-9]{0,4})G$ ]] && (( BASH_REMATCH[1] >= 6 )); } ||
    fail "STACK_OSD_SIZE must be 6G or more in whole gigabytes, not \"$STACK_OSD_SIZE\""
  [[ $STACK_SHARED_BUFFERS =~ ^[0-9]+(kB|MB|GB)$ ]] ||
    fail "STACK_SHARED_BUFFERS must look like 256MB, not \"$STACK_SHARED_BUFFERS\""
  [[ $STACK_POSTGRES_CLOCK =~ ^(real|settable)$ ]] ||
    fail "STACK_POSTGRES_CLOCK must be real or settable, not \"$STACK_POSTGRES_CLOCK\""
  [[ $STACK_POSTGRES_OPTIONS$STACK_RADOSGW_OPTIONS != *$'\n'* ]] ||
    fail "STACK_POSTGRES_OPTIONS and STACK_RADOSGW_OPTIONS must be one line each"
  read -ra words <<<"$STACK_POSTGRES_OPTIONS $STACK_RADOSGW_OPTIONS"
  for word in "${words[@]}"; do
    [[ $word =~ ^[a-z][a-z0-9_.]*=[^\']+$ ]] ||
      fail "STACK_POSTGRES_OPTIONS and STACK_RADOSGW_OPTIONS take words of the form name=value, not \"$word\""
  done
}

derive_ports() {
  postgres_port=$STACK_PORT
  s3_port=$((STACK_PORT + 1))
  mon_port=$((STACK_PORT + 2))
  osd_port_first=$((STACK_PORT + 3))
  # An osd takes 4 ports. One that was wrongly marked down (it hung, the machine slept) takes 4 new ones before it
  # gives back the old, and exits when there are none.
  osd_port_last=$((osd_port_first + 4 * STACK_OSDS + 4 - 1))
  standby_port=$((STACK_PORT + ports_per_instance - 1))
  storage_endpoint=http://$host:$s3_port
}

write_env_file() {
  cat >"$env_file.new" <<LINES
DATABASE_URL=postgres://reelkeep_api:$api_password@$host:$postgres_port/reelkeep
DATABASE_WORKER_URL=postgres://reelkeep_worker:$worker_password@$host:$postgres_port/reelkeep
DATABASE_OWNER_URL=postgres://reelkeep_owner:$owner_password@$host:$postgres_port/reelkeep
DATABASE_SUPERUSER_URL=postgres://postgres:$superuser_password@$host:$postgres_port/reelkeep
STORAGE_ENDPOINT=$storage_endpoint
STORAGE_REGION=$storage_region
STORAGE_ACCESS_KEY_ID=$storage_access_key_id
STORAGE_SECRET_ACCESS_KEY=$storage_secret_access_key
STORAGE_UPLOAD_ACCESS_KEY_ID=$upload_access_key_id
STORAGE_UPLOAD_SECRET_ACCESS_KEY=$upload_secret_access_key
PLAYBACK_SECRET=$playback_secret
KEY_ENCRYPTION_KEYS=$key_encryption_keys
LINES
  mv -- "$env_file.new" "$env_file"
}

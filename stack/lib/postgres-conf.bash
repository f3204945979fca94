# The whole postgresql.conf of an instance. It replaces the one initdb writes, so that all other settings are
# PostgreSQL's own defaults and not guesses about this machine.

postgres_conf() {
  cat <<CONF
# Written by stack/up at every start; put changes into STACK_POSTGRES_OPTIONS.
listen_addresses = '$host'
port = $postgres_port
unix_socket_directories = '"$(postgres_socket_directory)"'
max_connections = 200
password_encryption = scram-sha-256

# As durable as in production; otherwise the fault suites would prove nothing.
fsync = on
synchronous_commit = on
# Migrating an organization to another cell uses logical replication.
wal_level = logical
# Test runs write in bursts; checkpoints forced by a small limit would distort the measured times.
max_wal_size = 4GB

shared_buffers = $STACK_SHARED_BUFFERS
# Data is on SSDs, where a random read costs hardly more than a sequential one.
random_page_cost = 1.1
# JIT compilation costs more than it saves for the short statements of this service.
jit = off
$(postgres_preload)
timezone = 'UTC'
log_timezone = 'UTC'
lc_messages = 'C'
log_line_prefix = '%m [%p] %q%u@%d '
$(postgres_extra_options)
CONF
}

# A socket's path may have 107 bytes. The name of the socket and its lock file take 22 of them.
postgres_socket_directory() {
  local home LC_ALL=C # counts bytes, not characters
  home=$(postgres_home)
  if (( ${#home} <= 80 )); then echo "$home"; else echo /tmp; fi
}

# Part of Debian's server package, but not of every build.
postgres_preload() {
  [[ ! -e $(postgres_bin)/../lib/pg_stat_statements.so ]] || echo "shared_preload_libraries = 'pg_stat_statements'"
}

postgres_extra_options() {
  local word words
  read -ra words <<<"$STACK_POSTGRES_OPTIONS"
  for word in "${words[@]}"; do
    printf "%s = '%s'\n" "${word%%=*}" "${word#*=}"
  done
}

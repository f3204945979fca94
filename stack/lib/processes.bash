# Processes and ports, found in the kernel's tables. PID files are not trusted: a daemon may run before it has
# written its file, and after kill -9 the number in the file may belong to another process.

# find_process WORD...: prints the pid of the process with exactly this command line; fails when there is none.
find_process() {
  local directory words wanted="$*" found=
  for directory in /proc/[0-9]*; do
    words=()
    { mapfile -d '' -t words <"$directory/cmdline"; } 2>/dev/null || continue
    # While a daemon forks into the background there are two processes; the later one stays.
    [[ ${words[*]} == "$wanted" ]] && found=${directory#/proc/}
  done
  [[ -n $found ]] && echo "$found"
}

# is_hanging PID: whether the process was stopped by SIGSTOP, so that it is alive but does not respond.
is_hanging() {
  grep -q '^State:[[:space:]]*T' "/proc/$1/status" 2>/dev/null
}

# end_process SIGNAL WORD...: ends the process with this command line and returns when it has ended.
end_process() {
  local signal=$1 pid deadline=$((SECONDS + 10))
  shift
  pid=$(find_process "$@") || return 0
  kill -s "$signal" "$pid" 2>/dev/null || true
  while pid=$(find_process "$@"); do
    (( SECONDS < deadline )) || kill -s KILL "$pid" 2>/dev/null || true
    sleep 0.02
  done
}

# memory_megabytes PID...: the sum of their private memory, plus their shared memory once.
memory_megabytes() {
  local pid
  for pid in "$@"; do
    cat "/proc/$pid/status" 2>/dev/null || true
  done | awk '/^RssAnon:/ { own += $2 } /^RssShmem:/ { if ($2 > shared) shared = $2 }
              END { printf "%d\n", (own + shared) / 1024 }'
}

# run_daemon OUTPUT WORD...: starts a program that daemonizes itself. It must inherit neither the
# instance's lock (which would then never be released) nor the caller's terminal or pipe.
run_daemon() {
  local output=$1
  shift
  "$@" </dev/null >"$output" 2>&1 9>&-
}

port_is_taken() {
  (exec 3<>"/dev/tcp/$host/$1") 2>/dev/null
}

# assert_port_free PORT PURPOSE
assert_port_free() {
  port_is_taken "$1" || return 0
  local holder=
  if command -v ss >/dev/null; then
    holder=$(ss -Hltnp "sport = :$1" 2>/dev/null | grep -o '"[^"]*",pid=[0-9]*' | head -n 1 | tr -d '"' || true)
  fi
  fail "port $1 ($2) is taken${holder:+ by ${holder/,pid=/, pid }}. Stop that process or choose another STACK_PORT;" \
    "an instance uses the $ports_per_instance ports from there on."
}

# Logs grow as long as an instance exists; a start rotates a large log.
trim_log() {
  local log_bytes_max=$((64 * 1024 * 1024))
  [[ ! -e $1 ]] || (( $(stat -c %s -- "$1") < log_bytes_max )) || mv -- "$1" "$1.old"
}

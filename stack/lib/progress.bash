# Output for the user: progress with elapsed time, and errors with the log lines that explain them.

started_at_microseconds=${EPOCHREALTIME/[.,]/}

say() {
  local hundredths=$(( (${EPOCHREALTIME/[.,]/} - started_at_microseconds) / 10000 ))
  printf 'stack %s %3d.%02d s  %s\n' "$STACK_NAME" $((hundredths / 100)) $((hundredths % 100)) "$*" >&2
}

fail() {
  printf 'stack %s: %s\n' "$STACK_NAME" "$*" >&2
  exit 1
}

# fail_with_logs MESSAGE FILE...: prints the message, then the end of every non-empty log.
fail_with_logs() {
  local message=$1 log
  shift
  {
    printf 'stack %s: %s\n' "$STACK_NAME" "$message"
    for log in "$@"; do
      [[ -s $log ]] || continue
      printf '  last lines of %s:\n' "$log"
      # Removes the colors and blank lines that Ceph writes.
      sed -e 's/\x1b\[[0-9;]*m//g' -e '/^[[:space:]]*$/d' -e 's/^/    /' -- "$log" | tail -n 12 | cut -c 1-300
    done
  } >&2
  exit 1
}

# Prints the comment at the top of a command.
usage() {
  awk 'NR == 1 { next } !/^#/ { exit } { sub(/^# ?/, ""); print }' "$0" >&2
}

# parse_parts WORD...: sets `parts`; no word means both.
parse_parts() {
  local word
  parts=()
  for word in "$@"; do
    case $word in
      postgres | ceph) parts+=("$word") ;;
      -h | --help) usage; exit 0 ;;
      *) usage; exit 2 ;;
    esac
  done
  (( ${#parts[@]} )) || parts=(postgres ceph)
}

# shellcheck shell=bash
# Runs the image's commands like a container engine, and checks them.

readonly user_id=10001 ports_tried_max=100 ready_seconds_max=60 video_seconds_max=240
declare -A running=()

# choose_ports: finds three free consecutive ports, starting at PORT.
choose_ports() {
  local tried offset
  port=${PORT:-9380}
  for (( tried = 0; tried < ports_tried_max; tried++, port += 3 )); do
    for offset in 0 1 2; do
      ! (exec 3<>"/dev/tcp/127.0.0.1/$((port + offset))") 2>/dev/null || continue 2
    done
    return
  done
  echo "test-image: no free ports from ${PORT:-9380} on" >&2
  return 1
}

# prepare_stack: prepares the servers, a separate database on them, and the settings; secrets become files.
prepare_stack() {
  export STACK_NAME=${STACK_NAME:-rehearse} STACK_PORT=${STACK_PORT:-9340}
  if ! stack/env >/dev/null 2>&1; then stack_is_ours=yes; fi
  stack/up >/dev/null 2>&1
  choose_ports
  local line name
  database=rehearse_$$
  while read -r line; do declare -g "stack_$line"; done < <(stack/env)
  superuser "create database $database owner reelkeep_owner"
  mkdir -m 755 "$work/secrets"
  for name in DATABASE_URL DATABASE_WORKER_URL DATABASE_OWNER_URL; do
    line=stack_$name
    echo "${!line%/*}/$database" >"$work/secrets/$name"
  done
  for name in STORAGE_ACCESS_KEY_ID STORAGE_SECRET_ACCESS_KEY PLAYBACK_SECRET KEY_ENCRYPTION_KEYS; do
    line=stack_$name
    echo "${!line}" >"$work/secrets/$name"
  done
  openssl rand -hex 24 >"$work/secrets/STORAGE_EVENTS_SECRET"
}

superuser() { psql -qX "$stack_DATABASE_SUPERUSER_URL" -c "$1" >/dev/null; }

drop_database() {
  [[ -z ${database:-} ]] || superuser "drop database if exists $database with (force)" || true
  [[ -z ${stack_is_ours:-} ]] || stack/wipe >/dev/null
}

# reelkeep COMMAND...: runs a command as in a container. bubblewrap makes the root read-only with pivot_root: in a plain
# chroot no user namespace could be created, and a worker needs them.
reelkeep() {
  local places=(--ro-bind "$work/root" /) name line environment=() entry=()
  [[ -d $work/root ]] || places=(--ro-bind / / --tmpfs /opt --ro-bind "$work/reelkeep" /opt/reelkeep)
  while IFS='=' read -r name line; do environment+=(--setenv "$name" "$line"); done < <(image_environment)
  for name in "$work"/secrets/*; do environment+=(--setenv "${name##*/}_FILE" "/run/secrets/${name##*/}"); done
  mapfile -t entry < <("$work/reelkeep/bin/node" -p 'JSON.parse(process.argv[1]).join("\n")' "$(sed -n 's/^ENTRYPOINT //p' "$dockerfile")")
  exec_or_run bwrap "${places[@]}" --proc /proc --dev /dev --perms 1777 --tmpfs /tmp --tmpfs /run --ro-bind "$work/secrets" /run/secrets \
    --unshare-pid --as-pid-1 --unshare-ipc --unshare-uts --die-with-parent --new-session --clearenv "${environment[@]}" \
    --setenv HOST 127.0.0.1 --setenv PORT "$port" --setenv OPERATIONS_PORT "$((port + 1))" --setenv WORKER_OPERATIONS_PORT "$((port + 2))" \
    --setenv PUBLIC_URL "http://127.0.0.1:$port" --setenv STORAGE_ENDPOINT "$stack_STORAGE_ENDPOINT" \
    --setenv STORAGE_EVENTS_URL "http://127.0.0.1:$((port + 1))" --setenv STORAGE_UPLOADS_BUCKET rehearse-uploads --setenv STORAGE_MEDIA_BUCKET rehearse-media --setenv DRAIN_SECONDS 1 \
    --cap-drop ALL --cap-add CAP_SETUID --cap-add CAP_SETGID --cap-add CAP_SETPCAP --chdir /opt/reelkeep -- \
    setpriv --reuid "$user_id" --regid "$user_id" --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all \
    "${entry[@]}" "$@"
}

# Prints the Dockerfile's ENV, one line per variable.
image_environment() { sed -n '/^ENV /,/[^\\]$/{s/^ENV //;s/^ *//;s/ \\$//;p}' "$dockerfile"; }

# In the background, bash would run a function in a subshell; exec makes its PID the one to signal.
exec_or_run() { if [[ -n ${become:-} ]]; then exec "$@"; else "$@"; fi; }

start() {
  become=yes reelkeep "$1" >"$work/$1.log" 2>&1 &
  running[$1]=$!
}

wait_until_ready() {
  local deadline=$((SECONDS + ready_seconds_max))
  until curl -sf "http://127.0.0.1:$1/readyz" >/dev/null; do
    if ! kill -0 "${running[$2]}" 2>/dev/null || (( SECONDS > deadline )); then
      echo "test-image: $2 did not become ready:" >&2
      tail -20 "$work/$2.log" >&2
      return 1
    fi
    sleep 0.2
  done
}

# From outside, bubblewrap's child is the image's first process, tini, and tini's child is the command.
first_process() { pgrep -P "${running[$1]}"; }

# Checks that the process runs as the image's user, without capabilities, and that nothing is writable except /tmp and
# /run, which are in memory.
check_confinement() {
  local name process
  for name in api worker; do
    process=$(pgrep -P "$(first_process "$name")")
    grep -qP "^Uid:\t$user_id\t$user_id" "/proc/$process/status"
    grep -qP '^CapEff:\t0+$' "/proc/$process/status"
    grep -qP '^NoNewPrivs:\t1$' "/proc/$process/status"
    grep -qE '^[^ ]+ / [^ ]+ ro,' "/proc/$process/mounts"
  done
  echo "        user $user_id, no capability, no new privileges, root read-only"
}

# examine PART: runs the doctor in the container of that part. It exits with 7 for a problem; warnings are acceptable
# here.
examine() {
  local faults=0
  reelkeep doctor "$1" >"$work/log" 2>&1 || faults=$?
  (( faults == 0 )) || { cat "$work/log" >&2; echo "test-image: doctor $1 ended with $faults" >&2; return 1; }
  sed -n 's/^! /        &/p' "$work/log"
  echo "        doctor $1: $(grep -c '^✓ ' "$work/log") passed, no failure"
}

# make_video: uploads and processes a video through the API only, like any client.
make_video() {
  local api="http://127.0.0.1:$port/api/v1/$REELKEEP_ORGANIZATION" session fields asset playlist deadline
  local headers=(-H "Authorization: token $REELKEEP_TOKEN" -H 'Content-Type: application/json')
  session=$(curl -sf "$api/assets/upload-sessions/" "${headers[@]}" -d '{"title": "Rehearsal", "resolutions": ["240p"]}')
  # shellcheck disable=SC2016
  mapfile -t fields < <("$work/reelkeep/bin/node" -p 'const { upload_link, ...rest } = JSON.parse(process.argv[1]).client_payload
    Object.entries(rest).flatMap(([name, value]) => ["-F", `${name}=${value}`]).concat("-F", "file=@tests/acceptance/files/ten-and-a-half-seconds.mp4", upload_link).join("\n")' "$session")
  curl -sf "${fields[@]}" -o /dev/null
  asset=$("$work/reelkeep/bin/node" -p 'JSON.parse(process.argv[1]).asset.id' "$session")
  deadline=$((SECONDS + video_seconds_max))
  until playlist=$(curl -sf "$api/assets/$asset/" "${headers[@]}" | grep -oP '"playback_url":"\K[^"]+'); do
    (( SECONDS < deadline )) || { tail -20 "$work/worker.log" >&2; echo 'test-image: the video was not completed' >&2; return 1; }
    sleep 0.5
  done
  curl -sf "$playlist" | grep -q '^#EXT-X-STREAM-INF'
  # The player is part of the image.
  curl -sf -o /dev/null "http://127.0.0.1:$port/embed/-/reelkeep-player.js"
}

# Signals the image's first process like an engine, and expects exit code 0.
stop_well() {
  kill -TERM "$(first_process "$1")"
  local code=0
  wait "${running[$1]}" || code=$?
  unset "running[$1]"
  (( code == 0 )) || { tail -20 "$work/$1.log" >&2; echo "test-image: $1 ended with $code" >&2; return 1; }
}

stop_all() {
  local name
  for name in "${!running[@]}"; do kill -KILL "${running[$name]}" 2>/dev/null || true; done
  wait
}

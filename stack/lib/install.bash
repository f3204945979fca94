# Installs missing Debian packages that an instance needs.

# install_missing PART...
install_missing() {
  local packages
  mapfile -t packages < <(missing_packages "$@")
  (( ${#packages[@]} )) || return 0
  command -v apt-get >/dev/null ||
    fail "please install (the names are Debian's packages): ${packages[*]}"
  local as_root=()
  if (( EUID != 0 )); then
    command -v sudo >/dev/null || fail "please install as root: apt-get install --no-install-recommends ${packages[*]}"
    as_root=(sudo)
  fi
  # If two first `up`s run at once, the second waits here and then finds nothing missing.
  exec 8<"$library/install.bash"
  flock 8
  mapfile -t packages < <(missing_packages "$@")
  if (( ${#packages[@]} )); then
    local log
    log=$(mktemp)
    say "installing ${packages[*]}"
    local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300)
    # The existing package lists may be sufficient; if they are not, the installation fails.
    "${apt[@]}" update >"$log" 2>&1 || say "apt-get update failed, continuing with the existing package lists"
    # Recommended packages would nearly double the download and install a Ceph manager that S3 does not need.
    "${apt[@]}" install -y --no-install-recommends "${packages[@]}" >>"$log" 2>&1 ||
      fail_with_logs "could not install; please do: apt-get install --no-install-recommends ${packages[*]}" "$log"
    rm -f -- "$log"
  fi
  exec 8<&-
}

# The wildcard stands for the folder named after the machine's architecture.
faketime_libraries='/usr/lib/*/faketime/libfaketime.so.1'

# These are in folders that are not in the path of ordinary users.
find_apparmor_parser() { PATH=$PATH:/usr/sbin:/sbin command -v apparmor_parser; }

find_nft() { PATH=$PATH:/usr/sbin:/sbin command -v nft; }

missing_packages() {
  local part
  for part in "$@"; do
    case $part in
      postgres) find_postgres_bin >/dev/null || echo postgresql ;;
      ceph) missing_ceph_packages ;;
      media) missing_media_packages ;;
      edge) command -v nginx >/dev/null || echo nginx-light ;;
      load) command -v wrk >/dev/null || echo wrk ;;
      speech) command -v espeak-ng >/dev/null || echo espeak-ng ;;
      clock) compgen -G "$faketime_libraries" >/dev/null || echo libfaketime ;;
      network) find_nft >/dev/null || echo nftables ;;
      apparmor) find_apparmor_parser >/dev/null || echo apparmor ;;
      chart) missing_chart_packages ;;
      containers) missing_container_packages ;;
    esac
  done
}

missing_ceph_packages() {
  command -v ceph-mon >/dev/null || echo ceph-mon
  command -v ceph-osd >/dev/null || echo ceph-osd
  command -v radosgw >/dev/null || echo radosgw
  command -v monmaptool >/dev/null || echo ceph-base
  command -v radosgw-admin >/dev/null || echo ceph-common
  command -v curl >/dev/null || echo curl
  compgen -G '/usr/lib/python3/dist-packages/rados.*.so' >/dev/null || echo python3-rados
}

# Not servers, but the media programs of the worker; zzuf creates broken files for the tests.
missing_media_packages() {
  command -v ffprobe >/dev/null || echo ffmpeg
  command -v bwrap >/dev/null || echo bubblewrap
  command -v socat >/dev/null || echo socat
  command -v prlimit >/dev/null || echo util-linux
  command -v zzuf >/dev/null || echo zzuf
}

# Go, Helm's template functions, and the YAML parser of Kubernetes.
missing_chart_packages() {
  command -v go >/dev/null || echo golang-go
  [[ -d /usr/share/gocode/src/github.com/Masterminds/sprig ]] || echo golang-github-masterminds-sprig-dev
  [[ -d /usr/share/gocode/src/sigs.k8s.io/yaml ]] || echo golang-k8s-sigs-yaml-dev
}

# podman with runc, which needs no systemd; networks with names; the older docker-compose, which Debian has.
missing_container_packages() {
  command -v podman >/dev/null || echo podman
  command -v buildah >/dev/null || echo buildah
  command -v runc >/dev/null || echo runc
  command -v catatonit >/dev/null || echo catatonit
  command -v debootstrap >/dev/null || echo debootstrap
  command -v docker-compose >/dev/null || echo docker-compose
  command -v iptables >/dev/null || echo iptables
  [[ -e /usr/lib/podman/netavark ]] || echo netavark
  [[ -e /usr/lib/podman/aardvark-dns ]] || echo aardvark-dns
  # Chromium plays the videos. Without a font, text in a page has no size.
  command -v chromium >/dev/null || printf '%s\n' chromium fonts-dejavu-core
}

# The ceph.conf of an instance: small, quick to start, loopback only. /etc/ceph is never read.

ceph_conf() {
  local copies=$(( STACK_OSDS < 3 ? STACK_OSDS : 3 ))
  # How long an osd may serve reads without hearing from its peers, in heartbeat graces. An osd without peers that hangs
  # for longer never serves again (16.2: no peer renews the grant), so there it is a week.
  local read_lease_ratio=0.8
  (( copies > 1 )) || read_lease_ratio=40000
  cat <<CONF
# Written by stack/up; ceph -c <this file> -s shows this cluster's status.
[global]
fsid = $(<"$ceph_directory/fsid")
mon_host = v2:$host:$mon_port
public_addr = $host
cluster_addr = $host
ms_bind_ipv4 = true
ms_bind_ipv6 = false
# Only the current protocol: halves the number of ports.
ms_bind_msgr1 = false
ms_bind_port_min = $osd_port_first
ms_bind_port_max = $osd_port_last

# No keys between the daemons: they listen on loopback only. radosgw insists on an encrypted connection to the monitor,
# which cannot work without keys; without "crc" it hangs for five minutes without an error message.
auth_cluster_required = none
auth_service_required = none
auth_client_required = none
ms_mon_client_mode = crc

# Client programs need no socket; the daemons get theirs below.
run_dir = $(ceph_run_directory)
admin_socket =
pid_file =
log_file = $ceph_directory/log/\$name.log
crash_dir = $ceph_directory/crash
keyring = $ceph_directory/keyring
max_open_files = 0
# The default logs ten thousand lines at every start.
debug_rocksdb = 1/1
debug_ms = 0/0

# One machine: copies are spread over osds. With the default (hosts) no placement group becomes active.
osd_crush_chooseleaf_type = 0
osd_pool_default_size = $copies
# 0 = more than half of the copies, as in production.
osd_pool_default_min_size = 0
osd_pool_default_pg_num = 8
osd_pool_default_pgp_num = 8
osd_pool_default_pg_autoscale_mode = off
mon_max_pg_per_osd = 1000
mon_allow_pool_size_one = true
mon_allow_pool_delete = true
mon_warn_on_pool_no_redundancy = false
mon_warn_on_insecure_global_id_reclaim_allowed = false

# By default map changes are batched for a second each, and a new cluster needs a dozen of them.
paxos_propose_interval = 0.02
paxos_min_wait = 0.01

# One report is enough to declare an osd down (the default needs reports from two hosts), but slow scheduling on a
# busy machine must not look like a dead daemon.
mon_osd_min_down_reporters = 1
mon_osd_reporter_subtree_level = osd
osd_heartbeat_interval = 2
osd_heartbeat_grace = 15
osd_pool_default_read_lease_ratio = $read_lease_ratio
# The monitor exits when the machine's disk is 95 % full; a developer's disk often is.
mon_data_avail_warn = 2
mon_data_avail_crit = 1

[mon]
mon_data = $ceph_directory/mon
admin_socket = $(ceph_run_directory)/\$name.asok

[osd]
osd_data = $ceph_directory/osd\$id
# Without its socket an osd never responds to requests about placement groups, not even over the network.
admin_socket = $(ceph_run_directory)/\$name.asok
osd_objectstore = bluestore
bluestore_block_size = $STACK_OSD_SIZE
bluestore_fsck_on_mkfs = false
bluestore_debug_enforce_settings = ssd
# Every open and close of the block file waits for one poll (default 250 ms), a dozen times per start.
bdev_aio_poll_ms = 20
# The lowest target that Ceph accepts.
osd_memory_target = 939524096
osd_memory_cache_min = 134217728

[client.rgw]
# Without tcp_nodelay every small response waits 40 ms for a delayed acknowledgement.
rgw_frontends = beast endpoint=$STACK_S3_ADDRESS:$s3_port tcp_nodelay=1
rgw_data = $ceph_directory/rgw
admin_socket = $(ceph_run_directory)/\$name.asok
rgw_thread_pool_size = 64
rgw_run_sync_thread = false
# Encryption with customer keys is otherwise refused over http.
rgw_crypt_require_ssl = false
# Several lifecycle workers compete for locks between 00:00 and 06:00 and delay a clean stop by 5 s.
rgw_lc_max_worker = 1
# Space of deleted objects is freed after a minute instead of two hours.
rgw_gc_obj_min_wait = 60
rgw_gc_processor_period = 60
$(ceph_extra_options)
CONF
}

# The path of a socket may have 107 bytes, and the longest name here takes 17 of them.
ceph_run_directory() {
  local LC_ALL=C # counts bytes, not characters
  if (( ${#ceph_directory} <= 84 )); then
    echo "$ceph_directory/run"
  else
    echo "/tmp/reelkeep-stack-$EUID-$(cksum <<<"$ceph_directory" | cut -d ' ' -f 1)"
  fi
}

ceph_extra_options() {
  local word words
  read -ra words <<<"$STACK_RADOSGW_OPTIONS"
  for word in "${words[@]}"; do
    printf '%s = %s\n' "${word%%=*}" "${word#*=}"
  done
}

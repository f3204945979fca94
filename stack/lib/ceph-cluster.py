"""Queries and commands for the cluster of one instance, each over a single connection.

    register UUID...           registers the osds 0, 1, ... and creates radosgw's pools
    wait-osds COUNT            until this many osds are up
    osds                       prints the ids of the osds that are up
    boot-epoch ID              prints the map version in which the osd last came up
    wait-boot ID EPOCH         until the osd has come up again after that version
    wait-clean COUNT           until this many osds are up and every placement group has all of its copies

CEPH_CONF names the cluster, CLUSTER_TIMEOUT_SECONDS the time limit.
"""

import json
import os
import sys
import time

import rados

# radosgw would create the pools one after the other, with a pause after each.
POOLS = {
    ".rgw.root": 8,
    "default.rgw.log": 8,
    "default.rgw.control": 8,
    "default.rgw.meta": 8,
    "default.rgw.buckets.index": 8,
    "default.rgw.buckets.non-ec": 8,
    "default.rgw.buckets.data": 32,
}

timeout_seconds = int(os.environ["CLUSTER_TIMEOUT_SECONDS"])
deadline = time.monotonic() + timeout_seconds


def main(question, *words):
    # No "with": shutting down waits for a monitor that may be dead, and the process ends anyway.
    cluster = rados.Rados(conffile=os.environ["CEPH_CONF"], name="client.admin", conf=dict(
        client_mount_timeout=str(timeout_seconds),
        # Otherwise a request to a hanging osd, or to a placement group without one, waits forever.
        rados_osd_op_timeout="5",
        rados_mon_op_timeout=str(timeout_seconds),
    ))
    cluster.connect()
    QUESTIONS[question](cluster, *words)


def register(cluster, *uuids):
    for expected, uuid in enumerate(uuids):
        given = ask(cluster, "osd new", uuid=uuid)["osdid"]
        if given != expected:
            sys.exit(f"the monitor gave osd {expected} the id {given}")
    for pool, groups in POOLS.items():
        ask(cluster, "osd pool create", pool=pool, pg_num=groups, pgp_num=groups,
            pool_type="replicated", autoscale_mode="off")
        ask(cluster, "osd pool application enable", pool=pool, app="rgw")


def wait_osds(cluster, count):
    wait_until(lambda: len(up_osds(cluster)) >= int(count),
               lambda: f"only the osds {up_osds(cluster)} of {count} came up")


def osds(cluster):
    print(*up_osds(cluster))


def boot_epoch(cluster, osd):
    print(find_osd(cluster, osd)["up_from"])


def wait_boot(cluster, osd, epoch):
    def booted():
        found = find_osd(cluster, osd)
        return found["up"] and found["up_from"] > int(epoch)
    wait_until(booted, lambda: f"osd {osd} did not come up again")


def wait_clean(cluster, count):
    wait_osds(cluster, count)
    osd_map = ask(cluster, "osd dump")
    left = {f"{pool['pool']}.{number:x}": "not asked yet"
            for pool in osd_map["pools"] for number in range(pool["pg_num"])}

    def all_clean():
        # Queries the osds directly, because a cluster without a manager has no table of its placement groups.
        for group in list(left):
            left[group] = group_state(cluster, group, osd_map["epoch"])
            if left[group] != "active+clean":
                return False
            del left[group]
        return True

    def complaint():
        group, state = next(iter(left.items()))
        return f"{len(left)} placement groups are not clean; the first, {group}, is {state}"
    wait_until(all_clean, complaint, pause_seconds=0.2)


def group_state(cluster, group, epoch):
    result, out, error = cluster.pg_command(group, json.dumps({"prefix": "query", "pgid": group}), b"")
    if result != 0:
        return f"error {result} {error}"
    answer = json.loads(out)
    # A group that has not seen the current map yet still reports the state before the change.
    return answer["state"] if answer["epoch"] >= epoch else "behind"


def up_osds(cluster):
    return [osd["osd"] for osd in ask(cluster, "osd dump")["osds"] if osd["up"]]


def find_osd(cluster, osd):
    return next(found for found in ask(cluster, "osd dump")["osds"] if found["osd"] == int(osd))


def ask(cluster, prefix, **arguments):
    command = json.dumps({"prefix": prefix, "format": "json", **arguments})
    result, out, error = cluster.mon_command(command, b"")
    if result != 0:
        sys.exit(f"ceph {prefix}: {result} {error}")
    return json.loads(out) if out.strip() else None


def wait_until(is_done, complaint, pause_seconds=0.05):
    while not is_done():
        if time.monotonic() > deadline:
            sys.exit(complaint())
        time.sleep(pause_seconds)


QUESTIONS = {
    "register": register,
    "wait-osds": wait_osds,
    "osds": osds,
    "boot-epoch": boot_epoch,
    "wait-boot": wait_boot,
    "wait-clean": wait_clean,
}

try:
    main(*sys.argv[1:])
except rados.Error as error:
    sys.exit(f"the monitor does not respond: {error}")

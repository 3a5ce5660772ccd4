#!/usr/bin/env bash
# Compares `assess --like` with pgbench on disks with an IOPS limit. Captures pgbench on a zram disk, then runs fathom and pgbench with
# each limit of the control group. As root; it needs PostgreSQL with pgbench, zram and blkio of cgroup v1. Variables: RATE
# (transactions/s), CLIENTS, SECONDS_EACH, DISKS (name:IOPS:multiples …). Usage: FATHOM=target/release/fathom tests/postgresql/like.sh
set -euo pipefail
skip() { echo "SKIPPED: $*"; exit 0; }
[ "$(id -u)" = 0 ] || skip "not root"
programs=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | tail -n 1)
[ -x "$programs/pgbench" ] || skip "PostgreSQL is not installed (postgresql, postgresql-contrib)"
[ -e /sys/class/zram-control/hot_add ] || skip "no zram"
[ -e /sys/fs/cgroup/blkio/blkio.throttle.write_iops_device ] || skip "no blkio of cgroup v1"
fathom=$(realpath "${FATHOM:-target/release/fathom}")
export FATHOM_NO_HISTORY=1
# Transactions per second, and the latency beyond which one is late.
rate=${RATE:-50} late_ms=200 clients=${CLIENTS:-1} seconds=${SECONDS_EACH:-20}

number=$(cat /sys/class/zram-control/hot_add)
disk=/dev/zram$number
work=$(mktemp -d /tmp/fathom-postgresql.XXXXXX)
# The root group: the kernel's writeback threads, which submit the writes of the page cache, are in it.
group=/sys/fs/cgroup/blkio
chmod 755 "$work"
end() {
    stop_server >/dev/null 2>&1 || true
    limit 0
    echo "$number" >/sys/class/zram-control/hot_remove
    rm -rf "$work"
}
trap end EXIT
echo 512M >"/sys/block/zram$number/disksize"
mkdir "$work/data"
# Processes that start from here on are in the group.
echo $BASHPID >"$group/cgroup.procs"
# limit IOPS: sets the limit of reads and of writes of the disk; 0 removes it.
limit() {
    for direction in read write; do
        echo "$(cat "/sys/block/zram$number/dev") $1" >"$group/blkio.throttle.${direction}_iops_device"
    done
}

# Reads the data into the page cache, as on the captured disk.
warm() { find "$work/data/db" -type f -exec cat {} + >/dev/null; }

as_postgres() { (cd "$work" && setpriv --reuid=postgres --regid=postgres --clear-groups "$@"); }
start_server() {
    mount "$disk" "$work/data"
    as_postgres "$programs/pg_ctl" -w -t 120 -D "$work/data/db" -l "$work/data/log" -o "-k $work/data -c listen_addresses=" start >/dev/null
}
stop_server() {
    as_postgres "$programs/pg_ctl" -w -t 120 -D "$work/data/db" stop >/dev/null
    umount "$work/data"
}
# late_percent TIMES: prints the share of transactions that were late or skipped, in percent.
late_percent() {
    as_postgres "$programs/pgbench" -h "$work/data" -N -n -c $clients -R "$(awk "BEGIN { print $rate * $1 }")" -L $late_ms -T "$seconds" postgres >"$work/bench" 2>&1 ||
        { cat "$work/bench" >&2; exit 1; }
    awk '/^number of transactions actually processed/ { done = $NF }
        /^number of transactions skipped/ { skipped = $5 }
        /^number of transactions above the/ { split($10, of, "/"); above = of[1] }
        END { if (done + skipped == 0) exit 1; printf "%.1f", 100 * (skipped + above) / (done + skipped) }' "$work/bench"
}

mkfs.ext4 -q "$disk"
mount "$disk" "$work/data"
mkdir "$work/data/db"
chown -R postgres:postgres "$work/data"
as_postgres "$programs/initdb" -D "$work/data/db" --wal-segsize=4 --auth=trust -N >/dev/null
umount "$work/data"
start_server
as_postgres "$programs/pgbench" -h "$work/data" -i -s 5 -q postgres >/dev/null 2>&1
stop_server
start_server
warm
"$fathom" capture "$disk" --for $((seconds + 4)) -o "$work/app.capture" >"$work/captured" 2>&1 &
capture=$!
sleep 3
late=$(late_percent 1)
echo "captured disk: $late % of the transactions late"
wait $capture || { cat "$work/captured"; exit 1; }
cat "$work/captured"
stop_server
cp "$disk" "$work/saved"

for of in ${DISKS:-fast:2000:1 near:120:1,2,3 slow:20:1}; do
    IFS=: read -r name iops multiples <<<"$of"
    limit "$iops"
    status=0
    # The limit stands for a slow disk: it is no cause outside of the disk.
    "$fathom" assess "$disk" --like "$work/app.capture" --p99 ${late_ms}ms --runtime "$seconds" --explain=never --overwrite "$disk" >"$work/answer" 2>&1 || status=$?
    limit 0
    cat "$work/answer"
    echo "$name disk, $iops IOPS: fathom exits with $status"
    for times in ${multiples//,/ }; do
        cp "$work/saved" "$disk"
        start_server
        warm
        limit "$iops"
        late=$(late_percent "$times")
        echo "$name disk, $iops IOPS: pgbench at $times times the load: $late % of the transactions late"
        limit 0
        stop_server
    done
done

# Functions of the tests. A test ends with status 0, or with 77 if a device or program is missing.

# skip REASON
skip() {
    echo "$*"
    exit 77
}

# need PROGRAM...
need() {
    for program; do
        command -v "$program" >/dev/null || skip "$program is not installed"
    done
}

# module NAME [OPTION...]: loads a module of the kernel.
module() {
    rmmod "$1" 2>/dev/null || true
    modprobe "$@" || skip "this kernel has no module $1"
}

fail() {
    echo "FAILED: $*"
    exit 1
}

# has TEXT COMMAND...: the command succeeds and its output has the text.
has() {
    text=$1
    shift
    "$@" >out 2>&1 || { cat out; fail "status $? of $*"; }
    grep -qe "$text" out || { cat out; fail "no \`$text\` in the output of $*"; }
}

# refuses TEXT COMMAND...: the command fails, and its output has the text.
refuses() {
    text=$1
    shift
    ! "$@" >out 2>&1 || { cat out; fail "succeeded: $*"; }
    grep -qe "$text" out || { cat out; fail "no \`$text\` in the output of $*"; }
}

# fio_job TARGET ENGINE OPTION...: writes and reads part of a target, and verifies what it wrote.
fio_job() {
    target=$1 engine=$2
    shift 2
    has "err= 0" fathom fio --name=lab --filename="$target" --ioengine="$engine" \
        --rw=randwrite --verify=crc32c --io_size=512k --size=16m --bs=8k "$@"
}

# all_of_serial NUMBER: the disks with this serial number.
all_of_serial() {
    for device in /sys/block/*; do
        # The paths of a multipath namespace have no device file.
        [ -b /dev/${device##*/} ] || continue
        for attribute in serial device/serial device/vpd_pg80; do
            [ ! -e "$device/$attribute" ] || ! grep -qa "$1" "$device/$attribute" || { echo "/dev/${device##*/}"; break; }
        done
    done
}

# of_serial NUMBER: the first disk with this serial number.
of_serial() {
    all_of_serial "$1" | grep -m 1 . || fail "no disk with the serial number $1"
}

# of_model MODEL: the first disk of this model, as the kernel prints it, `_` for a space.
of_model() {
    for device in /sys/block/*; do
        [ ! -e "$device/device/model" ] || [ ! -b /dev/${device##*/} ] || [ "$(sed 's/ *$//; s/ /_/g' "$device/device/model")" != "$1" ] ||
            { echo "/dev/${device##*/}"; return; }
    done
    fail "no disk of the model $1"
}

# names_of DISK: its path, a symbolic link, a second device node, and its character devices. Colons are escaped as in job files.
names_of() {
    name=${1##*/}
    mkdir -p names
    [ -e names/node-$name ] || mknod names/node-$name b $((0x$(stat -L -c %t $1))) $((0x$(stat -L -c %T $1)))
    ln -sf $1 names/link-$name
    echo $1 names/link-$name names/node-$name
    for character in /sys/block/$name/device/scsi_generic/* /sys/block/$name/device/bsg/* /dev/ng${name#nvme}; do
        case $character in
        */bsg/*:*) echo /dev/bsg/${character##*/} | sed 's/:/\\:/g' ;;
        */sg[0-9]* | /dev/ng*[0-9]n[0-9]*) [ ! -e $character ] || echo /dev/${character##*/} ;;
        esac
    done
}

# writes NAME: a job that writes the first 64 KiB of a device.
writes() {
    case $1 in
    /dev/ng*) set -- "$1" --ioengine=io_uring_cmd --cmd_type=nvme ;;
    /dev/sg* | /dev/bsg/*) set -- "$1" --ioengine=sg ;;
    *) set -- "$1" --direct=1 ;;
    esac
    fathom fio --name=lab --filename="$@" --rw=write --bs=4k --size=64k
}

# guarded REASON DISK...: jobs that write to the disks are rejected by each of their names.
guarded() {
    reason=$1
    shift
    for each; do
        for name in $(names_of $each); do
            refuses "$reason" writes $name
        done
    done
}

# unguarded DISK...: jobs write to the disks.
unguarded() {
    for each; do
        has "err= 0" writes $each
    done
}

# wipe DISK...: removes what is at the start and at the end of the disks.
wipe() {
    for each; do
        mib=$(($(cat /sys/class/block/${each##*/}/size) / 2048))
        dd if=/dev/zero of=$each bs=1M count=2 2>/dev/null
        dd if=/dev/zero of=$each bs=1M seek=$((mib - 2)) count=2 2>/dev/null
    done
}

# ios DEVICE: how many requests a block device completed. 0 for a character device, which has no counter.
ios() {
    counters=/sys/dev/block/$((0x$(stat -L -c %t $1))):$((0x$(stat -L -c %T $1)))/stat
    [ -b $1 ] && awk '{ print $1 + $5 }' $counters || echo 0
}

# begin_job DEVICE OPTION...: starts a job without an end, and waits until it has started. It prints to the file `job`.
begin_job() {
    before=$(ios $1)
    device=$1
    fathom fio --name=lab --filename="$@" --direct=1 --bs=4k --time_based --runtime=300 >job 2>&1 &
    job=$!
    tries=0
    # The check of the device reads some blocks.
    until [ $(($(ios $device) - before)) -gt 200 ] || [ $tries -ge 60 ]; do
        sleep 0.2
        tries=$((tries + 1))
    done
    sleep 1
}

# end_job: stops the job, which had no error.
end_job() {
    kill -INT $job
    wait $job || true
    grep -q "err= 0" job || { cat job; fail "the job failed"; }
}

# fails TEXT: the job ends by itself with a report and an error that has the text.
fails() {
    ! wait $job || { cat job; fail "the job did not fail"; }
    grep -qE "(read|write): IOPS=" job || { cat job; fail "no report"; }
    grep -qe "$1" job || { cat job; fail "no \`$1\` in the output of the job"; }
}

# nvme_target FILE OPTIONS: an NVMe namespace over TCP with the data of a file. Sets $disk, and $namespace, its folder in configfs.
nvme_target() {
    modprobe -q nvmet_tcp && modprobe -q nvme_tcp || skip "this kernel has no NVMe over TCP"
    ifconfig lo 127.0.0.1 up
    target=/sys/kernel/config/nvmet
    subsystem=$target/subsystems/lab
    namespace=$subsystem/namespaces/1
    mkdir -p $namespace $target/ports/1
    echo 1 >$subsystem/attr_allow_any_host
    echo -n $1 >$namespace/device_path
    [ -b $1 ] || echo 1 >$namespace/buffered_io
    echo 1 >$namespace/enable
    echo tcp >$target/ports/1/addr_trtype
    echo ipv4 >$target/ports/1/addr_adrfam
    echo 127.0.0.1 >$target/ports/1/addr_traddr
    echo 4420 >$target/ports/1/addr_trsvcid
    ln -s $subsystem $target/ports/1/subsystems/lab
    echo "transport=tcp,traddr=127.0.0.1,trsvcid=4420,nqn=lab,$2" >/dev/nvme-fabrics
    sleep 1
    disk=$(of_model Linux)
}

# remove_nvme_target: disconnects and removes it.
remove_nvme_target() {
    for controller in /sys/class/nvme/nvme*; do
        [ "$(cat $controller/transport)" != tcp ] || echo 1 >$controller/delete_controller
    done
    rm $target/ports/1/subsystems/lab
    rmdir $target/ports/1 $namespace $subsystem
}

# host_root: mounts the root of the host, read-only, at /host.
host_root() {
    modprobe -q 9pnet_virtio && modprobe -q 9p || skip "this kernel has no 9p"
    mkdir -p /host
    ln -sfn /proc/self/fd /dev/fd
    mount -t 9p -o trans=virtio,version=9p2000.L,ro,cache=loose,msize=262144 host /host
    for folder in dev proc sys; do mount --bind /$folder /host/$folder; done
    mount -t tmpfs tmpfs /host/run
}

# fleet_host NAME: this machine becomes the host a, b or c of a fleet: programs of the host below /host, a network, an ssh server, and
# fathom as /tmp/fathom.
fleet_host() {
    host_root
    [ -e /lab/key ] && [ -e /host/usr/sbin/sshd ] || skip "ssh-keygen or sshd is not installed"
    modprobe -q virtio_net || skip "this kernel has no network of virtio"
    modprobe -q nfsv4 || true
    hostname $1
    ifconfig lo 127.0.0.1 up
    printf '127.0.0.1 localhost\n10.77.0.1 a\n10.77.0.2 b\n10.77.0.3 c\n' >/lab/hosts
    ifconfig eth0 $(sed -n "s/ $1\$//p" /lab/hosts) netmask 255.255.255.0 up
    mount --bind /lab/hosts /host/etc/hosts
    mkdir -p /dev/pts
    mount -t devpts devpts /dev/pts && mount --bind /dev/pts /host/dev/pts
    mount --bind /dev/shm /host/dev/shm
    mount -t tmpfs tmpfs /host/root
    mount -t tmpfs tmpfs /host/tmp
    mkdir -p /host/root/.ssh /host/run/sshd
    cp /lab/key /lab/key.pub /host/root/.ssh/
    chmod 600 /host/root/.ssh/*
    printf '%s\n' 'IdentityFile /root/.ssh/key' 'UserKnownHostsFile /dev/null' 'StrictHostKeyChecking no' 'LogLevel ERROR' \
        'BatchMode yes' >/host/root/.ssh/config
    cp /bin/fathom /host/tmp/
    on_host /usr/sbin/sshd -h /root/.ssh/key -f /dev/null -o AuthorizedKeysFile=/root/.ssh/key.pub -o UsePAM=no \
        -o StrictModes=no -o PermitRootLogin=yes -o SetEnv=FATHOM_NO_HISTORY=1
}

# on_host COMMAND...: runs a command below the root of the host.
on_host() {
    chroot /host /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
        FATHOM_NO_HISTORY=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "$@"
}

# suite: copies tests of fio's source and both programs to /suite, which is /tmp below the root of the host, at /host.
suite() {
    source=$(sed -n 's/.*lab\.fio=\([^ ]*\).*/\1/p' /proc/cmdline)
    [ -n "$source" ] || skip "\$FIO_SOURCE is not set: a folder with the source of fio, built with --disable-native"
    modprobe -q mq-deadline || true
    mkdir -p /source /suite/t
    if [ ! -e /host/usr ]; then
        host_root
        mkdir -p /source/t
        cp /host$source/fio /source/
        cp -r /host$source/t/zbd /host$source/t/*.py /source/t/
        mount --bind /suite /host/tmp
    fi
    rm -rf /suite/*
    cp -r /source/t /suite/
    cp /source/fio /suite/fio-of-source
    cp /bin/fathom /suite/fathom
}

# suite_of PROGRAM COMMAND...: runs a command below the root of the host, where /tmp/fio is the program. It prints to PROGRAM.out, and
# to the console, because it can take an hour.
suite_of() {
    program=$1
    shift
    cp /suite/$program /suite/fio
    chroot /host /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp \
        FATHOM_NO_HISTORY=1 "$@" 2>&1 </dev/null | tee $program.out >/dev/console
}

# compare_suites SCRIPT [TEST...]: makes lines `NUMBER RESULT` of the output of both programs with a script of sed, and prints their numbers. A
# test that fio passes must pass, except those that are named.
compare_suites() {
    script=$1
    shift
    for program in fio-of-source fathom; do
        sed -n "$script" $program.out >$program.results
        echo "result: $program: $(grep -c PASS $program.results) passed, $(grep -c FAIL $program.results) failed," \
            "$(grep -c SKIP $program.results) skipped; failed: $(sed -n 's/ FAIL.*//p' $program.results | tr '\n' ' ')"
    done
    grep -q PASS fathom.results || fail "no test ran"
    worse=$(sed -n 's/ FAIL.*//p' fathom.results | while read -r test; do
        case " $* " in *" $test "*) continue ;; esac
        ! grep -q "^$test PASS" fio-of-source.results || echo "$test"
    done)
    [ -z "$worse" ] || fail "tests that fio passes:" $worse
}

# zbd_suite DISK: fio's tests of zones (t/zbd).
zbd_suite() {
    suite
    for program in fio-of-source fathom; do
        suite_of $program bash /tmp/t/zbd/test-zbd-support -r $1
        grep "Running test" $program.out || { cat $program.out; fail "no test ran"; }
    done
    for log in /suite/t/zbd/*.log.*; do
        ! tail -n 1 $log | grep -q FAIL || { echo "-- $log"; tail -n 25 $log; }
    done
    compare_suites 's/^Running test \([0-9]*\) \.\.\. .*\(PASS\|FAIL\|SKIP\).*/\1 \2/p'
}

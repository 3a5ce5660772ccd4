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
        --rw=randwrite --verify=crc32c --io_size=2m --size=16m --bs=8k "$@"
}

# of_serial NUMBER: the first disk with this serial number.
of_serial() {
    for device in /sys/block/*; do
        for attribute in serial device/serial device/vpd_pg80; do
            [ ! -e "$device/$attribute" ] || ! grep -qa "$1" "$device/$attribute" || { echo "/dev/${device##*/}"; return; }
        done
    done
    fail "no disk with the serial number $1"
}

# of_model MODEL: the first disk of this model, as the kernel prints it, `_` for a space.
of_model() {
    for device in /sys/block/*; do
        [ ! -e "$device/device/model" ] || [ "$(sed 's/ *$//; s/ /_/g' "$device/device/model")" != "$1" ] ||
            { echo "/dev/${device##*/}"; return; }
    done
    fail "no disk of the model $1"
}

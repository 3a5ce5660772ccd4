//! `ioengine=io_uring_cmd`: devices that take no commands, and options that contradict each other. No device of the
//! test machines takes commands: their bytes are compared in the unit tests of `os`.

use crate::stage::{Loop, Scratch, run};

/// Runs a job of io_uring_cmd that is rejected.
fn refused(scratch: &Scratch, arguments: &str, message: &str) {
    let ended = run(scratch.path(), &format!("--name=a --ioengine=io_uring_cmd {arguments}"));
    ended.ended_with(1).complained_of(message);
}

#[test]
fn commands_require_the_character_device_of_a_namespace() {
    let scratch = Scratch::new("io-uring-cmd");
    scratch.filled("f", 64 << 10);
    let content = std::fs::read(scratch.file("f")).unwrap();
    let generic = "only works with nvme ns generic char devices (/dev/ngXnY)";
    for rw in ["read", "write", "trim"] {
        refused(&scratch, &format!("--filename=f --rw={rw}"), generic);
        refused(&scratch, &format!("--filename=/dev/null --rw={rw}"), "/dev/null: failed to fetch namespace-id");
    }
    refused(&scratch, "--filename=f --rw=read --cmd_type=bsg", "only works with bsg devices (/dev/bsg/H:C:T:L)");
    refused(&scratch, "--filename=/dev/null --rw=read --cmd_type=bsg", "it is no bsg device of a disk");
    refused(&scratch, "--filename=new --rw=write --size=4k", "new: open: No such file or directory");
    assert!(!scratch.path().join("new").exists());
    assert_eq!(std::fs::read(scratch.file("f")).unwrap(), content, "the file is unchanged");
}

#[test]
fn a_block_device_takes_no_commands() {
    let scratch = Scratch::new("io-uring-cmd-loop");
    let Some(device) = Loop::new(&scratch, 1, "") else { return };
    refused(&scratch, &format!("--filename={} --rw=write", device.device), "(/dev/ngXnY)");
}

#[test]
fn placement_requires_nvme_commands() {
    let scratch = Scratch::new("placement");
    scratch.filled("f", 64 << 10);
    for directive in ["--fdp=1", "--dataplacement=fdp", "--dataplacement=streams --plids=1"] {
        run(scratch.path(), &format!("--name=a --filename=f --ioengine=io_uring --rw=write {directive}"))
            .ended_with(1)
            .complained_of("engine io_uring sends no placement directives");
        refused(&scratch, &format!("--filename=f --rw=write {directive}"), "(/dev/ngXnY)");
    }
    std::fs::write(scratch.file("scheme"), "0, 1048576, 1\nno range\n").unwrap();
    for (options, message) in [
        ("--dataplacement=streams", "stream IDs must be provided for dataplacement=streams"),
        ("--fdp=1 --dataplacement=streams", "fdp=1 is not compatible with dataplacement={streams, none}"),
        ("--fdp=1 --plids=3-1", "plids: the range `3-1` is empty"),
        ("--fdp=1 --plids=0-128", "plids: it has more than 128 identifiers"),
        ("--fdp=1 --plid_select=scheme", "the scheme is missing"),
        ("--fdp=1 --plid_select=scheme --dp_scheme=missing", "missing: No such file or directory"),
        ("--fdp=1 --plid_select=scheme --dp_scheme=scheme", "scheme: line 2 is not START,END,ID"),
    ] {
        refused(&scratch, &format!("--filename=f --rw=write {options}"), message);
    }
}

#[test]
fn contradicting_options_are_rejected_by_name() {
    let scratch = Scratch::new("io-uring-cmd-options");
    for (options, message) in [
        ("--rw=write --write_mode=zone_append", "zone_append is not supported by fathom"),
        ("--rw=write --write_mode=write/60:zeroes/60", "write_mode: the percentages add up to 120"),
        ("--rw=read --write_mode=zeroes", "'readwrite=|rw=' has no write"),
        ("--rw=write --write_mode=zeroes --verify=crc32c", "blocks without data cannot be verified"),
        ("--rw=write --pi_chk=GUARD,TAG", "pi_chk has no `TAG`"),
        ("--rw=write --apptag=0x12345", "apptag has 16 bits"),
        ("--rw=read --read_mode=prefetch", "read_mode is only supported with cmd_type=bsg"),
        ("--rw=write --cmd_type=bsg --write_mode=zeroes", "cmd_type=bsg has no such write_mode"),
        ("--rw=write --cmd_type=bsg --verify_bytchk=1", "verify_bytchk is only supported with write_mode=verify"),
        ("--rw=read --cmd_type=bsg --read_mode=prefetch --cdb_len=32", "cdb_len=32 is not supported"),
        ("--rw=read --cmd_type=bsg --apptag=1", "apptag is an option of NVMe commands"),
        ("--rw=read --nowait=1", "nowait cannot be applied to commands"),
        ("--rw=read --cmdprio_percentage=10", "cmdprio_percentage cannot be applied to commands"),
        ("--rw=trimwrite --num_range=2", "trimwrite cannot be used with multiple ranges"),
        ("--rw=write --verify=crc32c --verify_mode=compare", "verify_mode=compare requires blocks without headers"),
        ("--rw=write --zonemode=zbd", "zones cannot be used with commands"),
    ] {
        refused(&scratch, &format!("--filename=/dev/null {options}"), message);
    }
    run(scratch.path(), "--name=a --ioengine=io_uring --filename=/dev/null --size=4k --rw=trim --num_range=2")
        .ended_with(1)
        .complained_of("can't use multiple ranges with IO engine io_uring");
    for option in ["readfua=1", "write_mode=zeroes", "pi_act=0", "md_per_io_size=8", "cmd_type=bsg"] {
        let name = option.split('=').next().unwrap();
        run(scratch.path(), &format!("--name=a --ioengine=io_uring --filename=f --size=4k --rw=randrw --{option}"))
            .ended_with(1)
            .complained_of(&format!("{name} has no effect on io_uring"));
    }
}

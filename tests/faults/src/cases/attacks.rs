//! Other names of a device in use and of a target, and commands that would write them. Every command must be rejected under
//! every name.

/// Another name of a device or file.
#[derive(Debug, Clone, Copy)]
pub struct Alias {
    pub what: &'static str,
    /// A shell script that makes the name. `$DEVICE` is the device, `$MAJOR` and `$MINOR` are its numbers.
    pub script: &'static str,
    /// The name in the command.
    pub name: &'static str,
}

const fn alias(what: &'static str, script: &'static str, name: &'static str) -> Alias {
    Alias { what, script, name }
}

/// Names of a mounted device. The scripts run in a mount namespace of their own.
pub const ALIASES: &[Alias] = &[
    alias("symbolic link", "ln -s $DEVICE alias", "alias"),
    alias("symbolic link to a symbolic link", "ln -s $DEVICE one; ln -s one alias", "alias"),
    alias("second node (mknod)", "mknod alias b $MAJOR $MINOR", "alias"),
    alias("hard link to a second node", "mknod one b $MAJOR $MINOR; ln one alias", "alias"),
    alias("bind mount", "touch alias; mount --bind $DEVICE alias", "alias"),
    alias("`/proc/self/fd/N`", "exec 9<$DEVICE", "/proc/self/fd/9"),
    alias("`/proc/PID/root/…`", "ln -s /proc/$PPID/root$DEVICE alias", "alias"),
    alias("path with dots and slashes", "mkdir dots; mknod dots/node b $MAJOR $MINOR", "dots/..//./dots/node"),
    alias("link in a folder of links", "mkdir by-id; ln -s $DEVICE by-id/disk; ln -s by-id alias", "alias/disk"),
    alias("mounted in another mount namespace only", "umount $MNT; ln -s $DEVICE alias", "alias"),
    // The kernel detaches the loop device when the command, which inherits the descriptor, has ended.
    alias(
        "loop device over it",
        "LOOP=$(losetup --show -f $DEVICE); exec 8<$LOOP; losetup -d $LOOP; ln -s $LOOP alias",
        "alias",
    ),
];

/// A profile of DiskSpd that writes the target `ALIAS`.
pub const PROFILE: &str = "<Profile><TimeSpans><TimeSpan><Duration>1</Duration><Warmup>0</Warmup><Targets><Target>\
    <Path>ALIAS</Path><BlockSize>4096</BlockSize><WriteRatio>100</WriteRatio>\
    </Target></Targets></TimeSpan></TimeSpans></Profile>";

/// Files that commands name themselves. Each is a symbolic link to the name.
pub const LINKS: &[&str] = &[
    "log_bw.1.log",
    "log_iops.1.log",
    "log_lat.1.log",
    "log_clat_hist.1.log",
    "agg-read_bw.log",
    "a.prerun.txt",
    "page.html",
    "page.svg",
    "folder/run.json",
    "folder/sweep.json",
    "folder/fathom.1",
    "folder/other_bw.1.log",
];

/// A command that writes `ALIAS`, and its exit status. With status 0 it runs and does not write there.
pub type Attack = (&'static str, i32);

/// Commands that write a target.
pub const TARGETS: &[Attack] = &[
    ("fio --name=a --filename=ALIAS --rw=write --bs=4k --size=64k", 1),
    ("fio --name=a --filename=ALIAS --rw=trim --bs=4k --size=64k", 1),
    ("fio --name=a --filename=f --rw=write --bs=4k --size=64k --mem=mmapshared:ALIAS", 1),
    ("diskspd -d1 -W0 -w100 ALIAS", 1),
    ("diskspd -d1 -W0 -c1M -w100 f ALIAS", 1),
    ("diskspd -Xprofile.xml", 1),
    ("assess ALIAS --overwrite ALIAS --short --runtime 1 --test write-latency", 2),
    ("knee ALIAS --overwrite ALIAS --rw randwrite --runtime 100ms", 2),
    ("sweep bs=4k,8k fio --name=a --filename=ALIAS --rw=write --size=64k", 1),
    ("run --repeat 2 fio --name=a --filename=ALIAS --rw=write --size=64k", 1),
];

/// Commands that write a file beside the target `TARGET`.
pub const OUTPUTS: &[Attack] = &[
    ("fio --name=a --filename=TARGET --size=64k --rw=read --output=ALIAS", 1),
    ("fio --name=a --filename=TARGET --size=64k --rw=read --record=ALIAS", 1),
    ("fio --name=a --filename=TARGET --size=64k --rw=read --write_bw_log=log", 1),
    ("fio --name=a --filename=TARGET --size=64k --rw=read --write_iops_log=log", 1),
    ("fio --name=a --filename=TARGET --size=64k --rw=read --write_lat_log=log", 1),
    ("fio --name=a --filename=TARGET --size=64k --rw=read --write_hist_log=log --log_hist_msec=1000", 1),
    ("fio --name=a --filename=TARGET --size=64k --rw=read --bandwidth-log=agg", 1),
    ("fio --name=a --filename=TARGET --size=64k --rw=read --exec_prerun=true", 1),
    ("fio --name=a --filename=TARGET --size=64k --rw=read --write_bw_log=other --aux-path=folder", 0),
    ("diskspd -d1 -W0 -Rtext=ALIAS TARGET", 3),
    ("diskspd -d1 -W0 -Rxml=ALIAS TARGET", 3),
    ("diskspd -d1 -W0 -L -D -Rrecord=ALIAS TARGET", 3),
    ("diskspd -d1 -W0 -eDISK_IO -ep -Rxml=ALIAS TARGET", 3),
    ("assess TARGET --yes --short --runtime 1 --test read-latency --save ALIAS", 2),
    ("assess TARGET --yes --short --runtime 1 --test read-latency --report page.html", 2),
    ("knee TARGET --yes --runtime 100ms --output ALIAS", 2),
    ("knee TARGET --yes --runtime 100ms --report page.html", 2),
    ("sweep bs=4k,8k --output ALIAS fio --name=a --filename=TARGET --size=64k --rw=read", 2),
    ("sweep bs=4k,8k --svg page.svg fio --name=a --filename=TARGET --size=64k --rw=read", 2),
    ("sweep bs=4k,8k --report page.html fio --name=a --filename=TARGET --size=64k --rw=read", 2),
    ("sweep bs=4k,8k --save folder fio --name=a --filename=TARGET --size=64k --rw=read", 2),
    ("run --repeat 2 --save folder fio --name=a --filename=TARGET --size=64k --rw=read", 2),
];

/// Commands that write a file and have no target.
pub const WRITERS: &[Attack] = &[
    ("show record --output ALIAS", 1),
    ("show record --report page.html", 1),
    ("export last --format csv --output ALIAS", 2),
    ("man --dir folder", 2),
];

/// Other names of the target of a run.
#[derive(Debug, Clone, Copy)]
pub struct TargetAlias {
    pub alias: Alias,
    /// The target in the command.
    pub target: &'static str,
    /// The target does not exist before the run.
    pub is_new: bool,
}

const OVERLAY: &str = "mkdir o; mount -t tmpfs none o; mkdir o/lower o/upper o/work o/merged; cp target o/upper; \
    mount -t overlay -o lowerdir=o/lower,upperdir=o/upper,workdir=o/work none o/merged";

const fn of(what: &'static str, script: &'static str, name: &'static str, target: &'static str) -> TargetAlias {
    TargetAlias { alias: alias(what, script, name), target, is_new: false }
}

const fn of_new(what: &'static str, script: &'static str, name: &'static str, target: &'static str) -> TargetAlias {
    TargetAlias { is_new: true, ..of(what, script, name, target) }
}

/// The names. The file `target` exists.
pub const TARGET_ALIASES: &[TargetAlias] = &[
    of("symbolic link", "ln -s target alias", "alias", "target"),
    of("hard link", "ln target alias", "alias", "target"),
    of("bind mount", "touch alias; mount --bind target alias", "alias", "target"),
    of("bind mount of its folder", "mkdir one two; mv target one; mount --bind one two", "two/target", "one/target"),
    of("`/proc/self/fd/N`", "exec 9<target; ln -s /proc/self/fd/9 alias", "alias", "target"),
    of("overlay of its folder", OVERLAY, "o/merged/target", "o/upper/target"),
    of("upper layer of its overlay", OVERLAY, "o/upper/target", "o/merged/target"),
    of_new("symbolic link", "ln -s new alias", "alias", "new"),
    of_new("target is a symbolic link", "ln -s new link", "new", "link"),
    of_new("link to its folder", "mkdir one; ln -s one two", "two/new", "one/new"),
    of_new("bind mount of its folder", "mkdir one two; mount --bind one two", "two/new", "one/new"),
    of_new("overlay of its folder", OVERLAY, "o/merged/new", "o/upper/new"),
    of_new("upper layer of its overlay", OVERLAY, "o/upper/new", "o/merged/new"),
];

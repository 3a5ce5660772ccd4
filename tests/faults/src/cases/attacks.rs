//! Other names of a mounted device, and commands that would write it. Every command must be rejected under every name.

/// Another name of the device.
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

/// The names.
pub const ALIASES: &[Alias] = &[
    alias("symbolic link", "ln -s $DEVICE alias", "alias"),
    alias("symbolic link to a symbolic link", "ln -s $DEVICE one; ln -s one alias", "alias"),
    alias("second node (mknod)", "mknod alias b $MAJOR $MINOR", "alias"),
    alias("hard link to a second node", "mknod one b $MAJOR $MINOR; ln one alias", "alias"),
    alias("bind mount", "touch alias; mount --bind $DEVICE alias", "alias"),
    alias("`/proc/self/fd/N`", "exec 9<$DEVICE", "/proc/self/fd/9"),
    alias("link in a folder of links", "mkdir by-id; ln -s $DEVICE by-id/disk; ln -s by-id alias", "alias/disk"),
];

/// A profile of DiskSpd that writes the target `ALIAS`.
pub const PROFILE: &str = "<Profile><TimeSpans><TimeSpan><Duration>1</Duration><Warmup>0</Warmup><Targets><Target>\
    <Path>ALIAS</Path><BlockSize>4096</BlockSize><WriteRatio>100</WriteRatio>\
    </Target></Targets></TimeSpan></TimeSpans></Profile>";

/// A command with `ALIAS` in place of the name, and its exit status.
pub const COMMANDS: &[(&str, i32)] = &[
    ("fio --name=a --filename=ALIAS --rw=write --bs=4k --size=64k", 1),
    ("fio --name=a --filename=ALIAS --rw=trim --bs=4k --size=64k", 1),
    ("fio --name=a --filename=f --rw=read --output=ALIAS", 1),
    ("fio --name=a --filename=f --rw=read --record=ALIAS", 1),
    ("fio --name=a --filename=f --rw=read --write_bw_log=log", 1),
    ("diskspd -d1 -W0 -w100 ALIAS", 1),
    ("diskspd -Xprofile.xml", 1),
    ("diskspd -d1 -W0 -Rxml=ALIAS f", 3),
    ("assess ALIAS --overwrite ALIAS --short --runtime 1 --test write-latency", 2),
    ("assess f --yes --short --runtime 1 --test read-latency --save ALIAS", 2),
    ("knee ALIAS --overwrite ALIAS --rw randwrite --runtime 100ms", 2),
    ("sweep bs=4k,8k fio --name=a --filename=ALIAS --rw=write --size=64k", 1),
    ("sweep bs=4k,8k --output ALIAS fio --name=a --filename=f --rw=read", 2),
    ("run --repeat 2 fio --name=a --filename=ALIAS --rw=write --size=64k", 1),
    ("show record --output ALIAS", 1),
    ("export last --format csv --output ALIAS", 2),
];

//! What a sound profile asks that this machine, or Linux, can't do with a target.

use units::diagnostic::Diagnostic;

use super::Machine;
use crate::profile::{BypassIo, Cache, Profile, Target};

/// File systems whose files are cached on this machine and lie on another.
const ON_A_SERVER: [&str; 5] = ["nfs", "nfs4", "cifs", "smb3", "smbfs"];

pub fn check(profile: &Profile, machine: &dyn Machine) -> Vec<Diagnostic> {
    let mut refused = Vec::new();
    let mut add = |error: Diagnostic| {
        if !refused.contains(&error) {
            refused.push(error);
        }
    };
    for span in &profile.time_spans {
        if span.io_ring.is_some() && !machine.has_rings() {
            let error = Diagnostic::error("-u (IoRing): the kernel gives this process no rings (io_uring)");
            add(error.help("leave it out, or see /proc/sys/kernel/io_uring_disabled and the container's rules"));
        }
        span.targets.iter().filter_map(|target| fault(target, machine)).for_each(&mut add);
    }
    refused
}

fn fault(target: &Target, machine: &dyn Machine) -> Option<Diagnostic> {
    let path = &target.path;
    if target.bypass_io == Some(BypassIo::Full) {
        let error = Diagnostic::error(format!("{path}: -SY (BypassIO Full) needs Windows' BypassIO"));
        return Some(error.help("leave it out: with -Su and -u I/O takes the shortest way that Linux has"));
    }
    if target.cache != Cache::NoLocal {
        return None;
    }
    let kind = machine.file_system(path);
    if kind.as_deref().is_some_and(|kind| ON_A_SERVER.contains(&kind)) {
        return None;
    }
    let lies = kind.map_or_else(String::new, |kind| format!(", and this one is on {kind}"));
    let error = Diagnostic::error(format!("{path}: -Sr (DisableLocalCache) is for files on NFS or SMB servers{lies}"));
    Some(error.help("use -Su (DisableOSCache): it goes around the cache of this machine"))
}

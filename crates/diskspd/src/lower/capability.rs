//! Checks whether this machine supports a valid profile.

use units::diagnostic::Diagnostic;
use units::system::System;

use super::Machine;
use crate::profile::{BypassIo, Cache, Profile, Target};

/// Network file systems with a local cache.
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
            add(no_ring());
        }
        span.targets.iter().filter_map(|target| fault(target, machine)).for_each(&mut add);
    }
    refused
}

fn no_ring() -> Diagnostic {
    match System::HERE {
        System::Linux => Diagnostic::error("-u (IoRing): the kernel does not allow io_uring for this process")
            .help("leave it out, or see /proc/sys/kernel/io_uring_disabled and the seccomp profile of the container"),
        System::Windows => {
            Diagnostic::error("-u (IoRing) is not supported on Windows").help("leave it out: completion ports are used")
        }
    }
}

fn fault(target: &Target, machine: &dyn Machine) -> Option<Diagnostic> {
    let path = &target.path;
    if target.bypass_io == Some(BypassIo::Full) {
        let error =
            Diagnostic::error(format!("{path}: -SY (BypassIO Full) is not available on {here}", here = System::HERE));
        return Some(error.help("leave it out, and use -Su"));
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
    Some(error.help("use -Su (DisableOSCache): it bypasses the cache of this machine"))
}

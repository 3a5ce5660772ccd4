//! The command line of the launcher that starts an agent on each host.

use std::ffi::{OsStr, OsString};

/// Variables of Open MPI 4 and 5 that permit runs of root.
const ROOT_VARIABLES: [&str; 4] = [
    "OMPI_ALLOW_RUN_AS_ROOT",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
    "PRTE_ALLOW_RUN_AS_ROOT",
    "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM",
];

/// Open MPI 4 and 5: the remote shell.
const SHELL_VARIABLES: [&str; 2] = ["OMPI_MCA_plm_rsh_agent", "PRTE_MCA_plm_ssh_agent"];
/// Open MPI 4 and 5: the other processes continue after one has failed.
const RECOVERY_VARIABLES: [&str; 2] = ["OMPI_MCA_orte_enable_recovery", "PRTE_MCA_state_base_recoverable"];

/// A family of launchers. Each has its own options.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    OpenMpi,
    /// MPICH's Hydra.
    Mpich,
    IntelMpi,
}

/// A host and the number of agents on it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HostSlots {
    pub name: String,
    pub slots: usize,
}

/// What is wrong in a list of hosts.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct HostsError(pub String);

impl Family {
    /// Returns the family by the output of `mpirun --version`.
    pub fn of_version(text: &str) -> Option<Family> {
        let has = |part: &str| text.contains(part);
        if has("Open MPI") || has("OpenRTE") || has("open-mpi.org") {
            Some(Family::OpenMpi)
        } else if has("Intel") {
            Some(Family::IntelMpi)
        } else if has("HYDRA") || has("MPICH") {
            Some(Family::Mpich)
        } else {
            None
        }
    }

    /// Returns the arguments of the launcher and its environment.
    pub fn command(self, launch: &Launch) -> (Vec<OsString>, Vec<(&'static str, OsString)>) {
        match self {
            Family::OpenMpi => launch.open_mpi(),
            Family::Mpich => launch.mpich(),
            Family::IntelMpi => launch.intel_mpi(),
        }
    }
}

/// What a launcher starts, and where.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    pub hosts: &'a [HostSlots],
    /// The interface of the messages between hosts, or the subnet.
    pub network: Option<&'a str>,
    /// The program that starts a command on a host. `None`: ssh.
    pub remote_shell: Option<&'a OsStr>,
    /// The command to start on each host.
    pub agent: &'a [OsString],
}

impl Launch<'_> {
    fn open_mpi(&self) -> (Vec<OsString>, Vec<(&'static str, OsString)>) {
        // By default each process is bound to one core.
        let mut args = words(&["--bind-to", "none", "--host", &self.list(), "-np", &self.count()]);
        // A host with the shell of one network cannot start daemons on others.
        args.extend(words(&["--mca", "plm_rsh_no_tree_spawn", "1"]));
        if let Some(network) = self.network {
            args.extend(words(&["--mca", "btl_tcp_if_include", network, "--mca", "oob_tcp_if_include", network]));
        }
        args.extend(self.agent.iter().cloned());
        // fathom needs root for devices, as fio does. Open MPI asks twice.
        let mut variables: Vec<_> = ROOT_VARIABLES.map(|name| (name, OsString::from("1"))).into();
        variables.extend(RECOVERY_VARIABLES.map(|name| (name, OsString::from("1"))));
        if let Some(shell) = self.remote_shell {
            variables.extend(SHELL_VARIABLES.map(|name| (name, shell.to_owned())));
        }
        (args, variables)
    }

    fn mpich(&self) -> (Vec<OsString>, Vec<(&'static str, OsString)>) {
        let mut args = self.hydra();
        args.extend(words(&["-hosts", &self.list(), "-n", &self.count(), "-bind-to", "none"]));
        args.extend(self.agent.iter().cloned());
        (args, Vec::new())
    }

    /// In a list of hosts Intel MPI ignores the number of processes of each host, and starts one per core.
    fn intel_mpi(&self) -> (Vec<OsString>, Vec<(&'static str, OsString)>) {
        let mut args = self.hydra();
        for (at, host) in self.hosts.iter().enumerate() {
            args.extend((at > 0).then(|| ":".into()));
            args.extend(words(&["-n", &host.slots.to_string(), "-host", &host.name]));
            args.extend(self.agent.iter().cloned());
        }
        (args, vec![("I_MPI_PIN", "off".into())])
    }

    /// Returns the options of Hydra, the launcher of MPICH and Intel MPI.
    fn hydra(&self) -> Vec<OsString> {
        // The other hosts keep their results if one is lost.
        let mut args = words(&["-disable-auto-cleanup"]);
        if let Some(network) = self.network {
            args.extend(words(&["-iface", network]));
        }
        if let Some(shell) = self.remote_shell {
            args.extend(words(&["-launcher", "ssh", "-launcher-exec"]));
            args.push(shell.to_owned());
        }
        args
    }

    /// Returns the hosts with their slots: `a:1,b:2`.
    fn list(&self) -> String {
        self.hosts.iter().map(|host| format!("{}:{}", host.name, host.slots)).collect::<Vec<_>>().join(",")
    }

    fn count(&self) -> String {
        self.hosts.iter().map(|host| host.slots).sum::<usize>().to_string()
    }
}

fn words(words: &[&str]) -> Vec<OsString> {
    words.iter().map(OsString::from).collect()
}

impl HostSlots {
    /// Parses `name` or `name:slots`.
    ///
    /// # Errors
    /// The name is empty, or the number of slots is not a number above 0.
    pub fn parse(text: &str) -> Result<HostSlots, HostsError> {
        let text = text.trim();
        let (name, slots) = match text.rsplit_once(':') {
            // An IPv6 address has colons.
            Some((name, slots)) if !name.contains(':') => {
                let count = slots.parse().ok().filter(|count| *count > 0);
                (name, count.ok_or_else(|| HostsError(format!("`{text}`: `{slots}` is not a number of slots")))?)
            }
            _ => (text, 1),
        };
        if name.is_empty() || name.starts_with('-') || name.contains(char::is_whitespace) {
            return Err(HostsError(format!("`{text}` is not the name of a host")));
        }
        Ok(HostSlots { name: name.to_owned(), slots })
    }

    /// Parses a file of hosts: one per line, in the form of Open MPI (`a slots=2`) or of MPICH (`a:2`).
    ///
    /// # Errors
    /// A line is not a host: the line's number and the reason.
    pub fn parse_file(text: &str) -> Result<Vec<HostSlots>, HostsError> {
        let lines = text.lines().enumerate().map(|(at, line)| (at + 1, line.split('#').next().unwrap_or("").trim()));
        let host = |(at, line): (usize, &str)| {
            let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            let slots = rest.split_whitespace().find_map(|word| word.strip_prefix("slots="));
            let text = slots.map_or_else(|| name.to_owned(), |slots| format!("{name}:{slots}"));
            HostSlots::parse(&text).map_err(|error| HostsError(format!("line {at}: {error}")))
        };
        lines.filter(|(_, line)| !line.is_empty()).map(host).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_have_slots() {
        let host = |text| HostSlots::parse(text).map(|host| (host.name, host.slots));
        assert_eq!(host("a:2"), Ok(("a".to_owned(), 2)));
        assert_eq!(host("fe80::1"), Ok(("fe80::1".to_owned(), 1)));
        assert!(host("a:0").is_err() && host("-x").is_err() && host("").is_err());
        let file = HostSlots::parse_file("# fleet\na slots=2\n\nb:3 # two\nc\n").unwrap();
        assert_eq!(file.iter().map(|host| host.slots).collect::<Vec<_>>(), [2, 3, 1]);
        assert!(HostSlots::parse_file("a\nb:x").unwrap_err().0.starts_with("line 2: "));
    }

    #[test]
    fn the_version_names_the_family() {
        assert_eq!(Family::of_version("mpirun.openmpi (OpenRTE) 4.1.4"), Some(Family::OpenMpi));
        assert_eq!(Family::of_version("mpirun (Open MPI) 5.0.11"), Some(Family::OpenMpi));
        assert_eq!(Family::of_version("HYDRA build details:"), Some(Family::Mpich));
        assert_eq!(Family::of_version("Intel(R) MPI Library for Linux* OS, Version 2021.18"), Some(Family::IntelMpi));
        assert_eq!(Family::of_version("bash"), None);
    }

    #[test]
    fn no_family_binds_the_agents_to_cores() {
        let hosts = [HostSlots { name: "a".into(), slots: 1 }, HostSlots { name: "b".into(), slots: 2 }];
        let line = |family: Family| {
            let launch = Launch { hosts: &hosts, network: None, remote_shell: None, agent: &["fathom".into()] };
            let (args, variables) = family.command(&launch);
            let args: Vec<String> = args.iter().map(|arg| arg.to_string_lossy().into_owned()).collect();
            format!("{variables:?} {}", args.join(" "))
        };
        assert!(line(Family::OpenMpi).contains("--bind-to none --host a:1,b:2 -np 3"), "{}", line(Family::OpenMpi));
        assert!(line(Family::Mpich).contains("-hosts a:1,b:2 -n 3 -bind-to none"), "{}", line(Family::Mpich));
        let intel = line(Family::IntelMpi);
        assert!(intel.contains("I_MPI_PIN") && intel.ends_with("-n 1 -host a fathom : -n 2 -host b fathom"), "{intel}");
    }
}

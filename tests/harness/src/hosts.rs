//! Two hosts of a fleet made of namespaces: each has its own network, names, mounts and monotonic clock.
//!
//! The launcher is the real one of Open MPI or MPICH. It starts its daemons through a script in place of ssh.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::{HANGS, Outcome, Scratch, binary, needs, shell, skipped, wait_until};

/// Names of the hosts.
pub const HOSTS: [&str; 2] = ["a", "b"];
/// Difference of the monotonic clock of the second host, which is ahead.
pub const AHEAD_S: i64 = 86_400;
/// Size of the second host's file system in memory, `/dev/shm`.
pub const SMALL_MIB: u64 = 16;

/// Two hosts and the network of the launcher, connected by a bridge. All are removed on drop.
pub struct Hosts {
    /// Folder that both hosts and the launcher share.
    pub scratch: Scratch,
    prefix: String,
    /// Starts a command on a host.
    remote_shell: PathBuf,
    servers: Vec<Child>,
}

impl Hosts {
    /// Makes the hosts. The name of the test has at most 20 characters. Returns `None` if the test is skipped.
    pub fn new(test: &str) -> Option<Hosts> {
        needs("test $(id -u) = 0 || { echo root is needed for namespaces >&2; false; }")?;
        let (scratch, prefix) = (Scratch::new(test), format!("{test}-{}", std::process::id()));
        let remote_shell = scratch.file("remote-shell");
        let hosts = Hosts { scratch, prefix, remote_shell, servers: Vec::new() };
        let p = &hosts.prefix;
        needs(&format!(
            "ip netns add {p}-net && ip -n {p}-net link add bridge0 type bridge && ip -n {p}-net link set bridge0 up"
        ))?;
        for (at, name) in ["launcher", "a", "b"].into_iter().enumerate() {
            needs(&format!(
                "ip netns add {p}-{name} && ip -n {p}-net link add v{name} type veth peer name eth0 netns {p}-{name} && \
                 ip -n {p}-net link set v{name} master bridge0 up && ip -n {p}-{name} link set lo up && \
                 ip -n {p}-{name} addr add 10.77.0.{}/24 dev eth0 && ip -n {p}-{name} link set eth0 up",
                at + 1
            ))?;
        }
        needs(&format!("ip netns exec {p}-a unshare --time --monotonic 1 --uts --ipc --mount --fork true"))?;
        let folder = hosts.scratch.path().display();
        let script = format!(
            "#!/bin/sh\n\
             while [ \"${{1#-}}\" != \"$1\" ]; do shift; done\n\
             host=$1; shift\n\
             ahead=0; memory=1g; [ \"$host\" = b ] && ahead={AHEAD_S} && memory={SMALL_MIB}m\n\
             export TMPDIR={folder}/tmp-$host; mkdir -p $TMPDIR\n\
             [ ! -e {folder}/start-$host ] || . {folder}/start-$host\n\
             exec ip netns exec {p}-$host unshare --time --monotonic $ahead --uts --ipc --mount --fork sh -c \
             'hostname \"$0\"; mount -t tmpfs -o size=$1 tmpfs /dev/shm; exec sh -c \"$2\"' $host $memory \"$*\"\n"
        );
        write_program(&hosts.remote_shell, &script);
        Some(hosts)
    }

    /// Starts an ssh server on each host. The launchers then use ssh. Returns `None` if ssh is not installed.
    pub fn with_ssh(mut self) -> Option<Hosts> {
        needs("command -v ssh /usr/sbin/sshd ssh-keygen >&2")?;
        let (p, folder) = (&self.prefix, self.scratch.path().display().to_string());
        needs(&format!(
            "cd {folder} && ssh-keygen -q -t ed25519 -N '' -f key && cp key.pub keys && chmod 600 key keys"
        ))?;
        let mut client = format!(
            "IdentityFile {folder}/key\nUserKnownHostsFile /dev/null\nStrictHostKeyChecking no\nLogLevel ERROR\nBatchMode yes\n"
        );
        for (at, host) in HOSTS.into_iter().enumerate() {
            let address = format!("10.77.0.{}", at + 2);
            client += &format!("Host {host}\nHostname {address}\n");
            let options = [
                format!("-h {folder}/key -o AuthorizedKeysFile={folder}/keys -o PidFile=none -o UsePAM=no"),
                format!("-o StrictModes=no -o PermitRootLogin=yes -o SetEnv=TMPDIR={folder}/tmp-{host}"),
            ]
            .join(" ");
            let script = format!(
                "hostname {host}; mount -t tmpfs tmpfs /dev/shm; mount -t tmpfs tmpfs /run; mkdir -p /run/sshd {folder}/tmp-{host}; \
                 exec /usr/sbin/sshd -D -e -f /dev/null {options}"
            );
            let mut server = Command::new("ip");
            server.args([
                "netns",
                "exec",
                &format!("{p}-{host}"),
                "unshare",
                "--uts",
                "--ipc",
                "--mount",
                "sh",
                "-c",
                &script,
            ]);
            let log = std::fs::File::create(self.scratch.file(&format!("sshd-{host}.log"))).unwrap();
            self.servers.push(server.stdin(Stdio::null()).stderr(log).spawn().unwrap());
            let connect = format!("ip netns exec {p}-launcher bash -c 'exec 3<>/dev/tcp/{address}/22'");
            wait_until("sshd listens", || shell(&connect).is_ok());
        }
        std::fs::write(self.scratch.file("ssh_config"), client).unwrap();
        self.remote_shell = self.scratch.file("ssh-client");
        write_program(&self.remote_shell, &format!("#!/bin/sh\nexec ssh -F {folder}/ssh_config \"$@\"\n"));
        Some(self)
    }

    /// Has a command run in the shell of a host before its processes start.
    pub fn at_start(&self, host: &str, command: &str) {
        std::fs::write(self.scratch.file(&format!("start-{host}")), command).unwrap();
    }

    /// Runs a job of fio on the hosts. The words of the job are separated by spaces.
    pub fn run(&self, launcher: &str, hosts: &str, options: &str, job: &str) -> Outcome {
        self.run_work(launcher, hosts, options, &format!("fio {job}"))
    }

    /// Returns the command line that runs fio, DiskSpd or a command of fathom on the hosts, from the launcher's
    /// network.
    pub fn command(&self, launcher: &str, hosts: &str, options: &str, work: &str) -> Vec<String> {
        let (binary, shell) = (binary().display().to_string(), self.remote_shell.display().to_string());
        let line = format!(
            "fleet --hosts {hosts} --launcher {launcher} --fleet-net eth0 --remote-shell {shell} {options} {work}"
        );
        let words = line.split_whitespace().map(str::to_owned);
        ["ip", "netns", "exec", &self.namespace("launcher"), &binary]
            .map(str::to_owned)
            .into_iter()
            .chain(words)
            .collect()
    }

    /// Returns the name of the network namespace of a host, of the launcher or of the bridge (`net`).
    pub fn namespace(&self, host: &str) -> String {
        format!("{}-{host}", self.prefix)
    }

    /// Returns the id of a process of fathom on a host, by its command (`fleet-agent`, `fleet-worker`).
    pub fn process_on(&self, host: &str, command: &str) -> Option<u32> {
        let listed = shell(&format!("ip netns pids {}", self.namespace(host))).ok()?;
        let is_it = |pid: &u32| {
            let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            line.split(|byte| *byte == 0).nth(1) == Some(command.as_bytes())
        };
        listed.split_whitespace().filter_map(|pid| pid.parse().ok()).find(is_it)
    }

    /// Returns the number of write calls of the process that measures on a host.
    pub fn write_calls(&self, host: &str) -> u64 {
        let Some(pid) = self.process_on(host, "fleet-worker") else { return 0 };
        let counters = std::fs::read_to_string(format!("/proc/{pid}/io")).unwrap_or_default();
        let calls = counters.lines().find_map(|line| line.strip_prefix("syscw: "));
        calls.and_then(|calls| calls.parse().ok()).unwrap_or(0)
    }

    /// Kills a process of fathom on a host, by its command.
    pub fn kill(&self, host: &str, command: &str) {
        shell(&format!("kill -KILL {}", self.process_on(host, command).unwrap())).unwrap();
    }

    /// Runs fio, DiskSpd or a command of fathom on the hosts.
    pub fn run_work(&self, launcher: &str, hosts: &str, options: &str, work: &str) -> Outcome {
        let mut command = Command::new("timeout");
        command
            .args(["--signal=KILL", &HANGS.as_secs().to_string()])
            .args(self.command(launcher, hosts, options, work));
        command.current_dir(self.scratch.path()).env("XDG_DATA_HOME", self.scratch.file("data"));
        command.env("XDG_STATE_HOME", self.scratch.file("state"));
        let output = command.output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Outcome { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
    }
}

fn write_program(path: &Path, script: &str) {
    std::fs::write(path, script).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

impl Drop for Hosts {
    fn drop(&mut self) {
        for server in &mut self.servers {
            let _ = server.kill().and_then(|()| server.wait());
        }
        for name in ["a", "b", "launcher", "net"] {
            let _ = shell(&format!("ip netns del {}-{name}", self.prefix));
        }
    }
}

/// Returns the launchers on this machine.
pub fn launchers() -> Vec<&'static str> {
    let known = ["mpirun.openmpi", "mpirun.mpich"];
    let found: Vec<&str> = known.into_iter().filter(|name| shell(&format!("command -v {name}")).is_ok()).collect();
    if found.is_empty() {
        skipped("neither mpirun.openmpi nor mpirun.mpich is installed");
    }
    found
}

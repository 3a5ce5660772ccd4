//! Servers on the loopback interface.

use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::run::wrapped;
use crate::{has_ended, shell, skipped};

/// Longest time in which a server starts.
const STARTS: Duration = Duration::from_secs(120);

/// Ports of a process before those of the next one.
const PORTS: u32 = 8;

/// Returns a TCP port of the loopback interface that no socket has. The kernel gives no connection a port below 32768, and
/// tests in other processes begin at others.
pub fn free_port() -> u16 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let first = std::process::id() % 2500 * PORTS;
    let port = || 10_000 + (first + NEXT.fetch_add(1, Ordering::Relaxed)) % (2500 * PORTS);
    let mut ports = std::iter::repeat_with(|| u16::try_from(port()).unwrap());
    ports.find(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok()).unwrap()
}

/// Returns true if a shared library is installed. Otherwise the test is skipped.
pub fn has_library(name: &str) -> bool {
    let found = shell(&format!("{{ ldconfig -p || /sbin/ldconfig -p; }} 2>/dev/null | grep -q '{name}'")).is_ok();
    if !found {
        skipped(&format!("{name} is not installed"));
    }
    found
}

/// A server that ends with the test.
pub struct Server(Child);

impl Server {
    /// Starts a server and waits until it accepts connections at `port`. Its output goes to `log`. A server that is missing or
    /// does not start marks the test as skipped.
    pub fn start(command: &mut Command, port: u16, log: &Path) -> Option<Self> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let is_ready = |_: u32| TcpStream::connect_timeout(&address, Duration::from_secs(1)).is_ok();
        Self::start_until(command, log, is_ready)
    }

    /// Starts a server in a network namespace of its own, with processes that end with it. The script has the loopback interface
    /// and an empty `/run`. Waits until the server accepts connections at `port`. Requires root.
    pub fn start_in_namespace(script: &str, port: u16, log: &Path) -> Option<Self> {
        if shell("test $(id -u) = 0").is_err() {
            skipped("not root");
            return None;
        }
        let script = format!("ip link set lo up && mount -t tmpfs none /run && {script}");
        let mut command = Command::new("unshare");
        command.args(["--net", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c"]).arg(script);
        let connect = format!("exec 3<>/dev/tcp/127.0.0.1/{port}");
        let is_ready = |id: u32| {
            let mut probe = Command::new("nsenter");
            probe.args(["--net", "-t"]).arg(id.to_string()).args(["bash", "-c", &connect]);
            probe.output().is_ok_and(|output| output.status.success())
        };
        Self::start_until(&mut command, log, is_ready)
    }

    /// Returns the command in the network namespace of the server.
    pub fn in_namespace(&self, command: &Command) -> Command {
        let mut first = Command::new("nsenter");
        first.args(["--net", "-t"]).arg(self.0.id().to_string());
        wrapped(first, command)
    }

    /// Starts a server and waits until `is_ready` returns true for its process.
    fn start_until(command: &mut Command, log: &Path, mut is_ready: impl FnMut(u32) -> bool) -> Option<Self> {
        let name = command.get_program().to_string_lossy().into_owned();
        let output = std::fs::File::create(log).unwrap();
        command.stdin(Stdio::null()).stdout(output.try_clone().unwrap()).stderr(output);
        let mut server = match command.spawn() {
            Ok(child) => Server(child),
            Err(error) => {
                skipped(&format!("{name}: {error}"));
                return None;
            }
        };
        let begin = Instant::now();
        while !is_ready(server.0.id()) {
            if has_ended(&server.0) || begin.elapsed() > STARTS {
                server.end();
                let output = std::fs::read_to_string(log).unwrap_or_default();
                skipped(&format!("{name} does not start: {}", output.lines().last().unwrap_or_default()));
                return None;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Some(server)
    }

    fn end(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end();
    }
}

//! The virtual machine: its devices, and its serial console.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::image::{Image, Kernel};

const QEMU: &str = "qemu-system-x86_64";
/// Exit status of a test that cannot run.
pub const SKIPPED: i32 = 77;
/// Disks: name, size in MiB.
const DISKS: [(&str, u64); 11] = [
    ("plain", 256),
    ("large", 128),
    ("pi", 64),
    ("zoned", 256),
    ("faulty", 16),
    ("gone", 64),
    ("scsi", 256),
    ("paths", 64),
    ("sata", 64),
    ("pmem", 128),
    ("spare", 256),
];
/// NVMe namespaces: disk, controller, and further properties.
const NAMESPACES: [(&str, &str, &str); 6] = [
    ("plain", "nvme0", ""),
    ("large", "nvme0", ",logical_block_size=4096,physical_block_size=4096"),
    ("pi", "nvme0", ",ms=8,mset=1,pi=1"),
    ("faulty", "nvme0", ""),
    ("zoned", "nvme1", ",zoned=true,zoned.zone_size=1M,zoned.max_open=8,zoned.max_active=12"),
    ("gone", "nvme2", ""),
];

/// The root of the host, read-only: the shell, Python and the other programs that tests use.
const ROOT: &str = "local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap";

/// Programs whose addresses are the same in each process are translated once by the emulation: with `norandmaps`, a run of fathom needs a
/// third of the time.
const KERNEL_OPTIONS: &str =
    "console=ttyS0 quiet loglevel=1 panic=-1 memhp_default_state=online mitigations=off norandmaps nvme.poll_queues=1";

/// Errors of the disk `faulty`: of reads of sector 8192, and of writes of sector 16384.
const FAULTS: &str = "file.driver=blkdebug,file.inject-error.0.event=read_aio,file.inject-error.0.sector=8192,\
    file.inject-error.1.event=write_aio,file.inject-error.1.sector=16384,file.image.driver=file,file.image";

/// Bit 3 of the critical warning in the SMART / health log of NVMe.
const READ_ONLY_WARNING: &str = ",smart_critical_warning=8";

/// Machines that a test of several hosts has besides its own: their names, and the time of their clocks.
const HOSTS: [(&str, &str); 2] = [("b", "2020-02-02T02:02:02"), ("c", "2031-03-03T03:03:03")];

/// Returns the emulator, if it is installed.
pub fn emulator() -> Option<Command> {
    let version = Command::new(QEMU).arg("--version").stdin(Stdio::null()).output();
    version.is_ok_and(|output| output.status.success()).then(|| Command::new(QEMU))
}

/// A test that ended.
pub struct Outcome {
    pub name: String,
    pub status: i32,
    pub seconds: u64,
    pub log: String,
}

pub struct Machine<'a> {
    pub qemu: Command,
    pub kernel: &'a Kernel,
    pub image: &'a Image,
    pub folder: &'a Path,
    /// fio's source, whose tests run on the machine.
    pub fio_source: Option<PathBuf>,
    /// Machines that the tests need: this one, and those of `HOSTS`.
    pub hosts: usize,
}

/// A further machine. It is killed on drop.
struct Host(Child);

impl Drop for Host {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

impl Machine<'_> {
    /// Runs a shell on the machine, with this terminal.
    ///
    /// # Errors
    ///
    /// The machine does not start, or fails.
    pub fn shell(mut self) -> Result<(), String> {
        self.configure("lab.shell")?;
        let _hosts = self.start_hosts()?;
        let status = self.qemu.status().map_err(|error| format!("{QEMU}: {error}"))?;
        if status.success() { Ok(()) } else { Err(format!("{QEMU}: {status}")) }
    }

    /// Runs the tests of the image. Ends the machine after `time`.
    ///
    /// # Errors
    ///
    /// The machine does not start.
    pub fn run_tests(mut self, time: Duration) -> Result<Vec<Outcome>, String> {
        self.configure("")?;
        let _hosts = self.start_hosts()?;
        self.qemu.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut machine = self.qemu.spawn().map_err(|error| format!("{QEMU}: {error}"))?;
        let outcomes = self.follow(&mut machine, Instant::now() + time);
        // The machine has powered itself off, or the time limit is reached.
        drop(machine.kill());
        machine.wait().map_err(|error| format!("{QEMU}: {error}"))?;
        outcomes
    }

    /// Reads the console. `lab: begin NAME` and `lab: end NAME STATUS SECONDS` enclose the output of a test.
    fn follow(&self, machine: &mut Child, until: Instant) -> Result<Vec<Outcome>, String> {
        let console = self.folder.join("console.log");
        let mut kept = File::create(&console).map_err(|error| format!("{}: {error}", console.display()))?;
        let output = machine.stdout.take().ok_or("no console")?;
        let (sender, lines) = mpsc::channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
                if sender.send(String::from_utf8_lossy(&line).trim_end().to_owned()).is_err() {
                    break;
                }
            }
        });
        let (mut ended, mut log) = (Vec::new(), String::new());
        while let Ok(line) = lines.recv_timeout(until.saturating_duration_since(Instant::now())) {
            std::io::Write::write_all(&mut kept, format!("{line}\n").as_bytes()).map_err(|error| error.to_string())?;
            let words: Vec<&str> = line.split(' ').collect();
            match words[..] {
                ["lab:", "begin", name] => {
                    eprintln!("xtask: lab: {name}");
                    log.clear();
                }
                ["lab:", "end", name, status, seconds] => ended.push(Outcome {
                    name: name.into(),
                    status: status.parse().unwrap_or(-1),
                    seconds: seconds.parse().unwrap_or(0),
                    log: std::mem::take(&mut log),
                }),
                _ => log += &format!("{line}\n"),
            }
        }
        if ended.is_empty() { Err(format!("the machine ran no test: {}", console.display())) } else { Ok(ended) }
    }

    /// Starts the further machines, each with a disk. Their consoles are files.
    fn start_hosts(&self) -> Result<Vec<Host>, String> {
        let further = HOSTS.into_iter().enumerate().take(self.hosts - 1);
        let start = |(at, (name, time)): (usize, (&str, &str))| {
            let failed = |error: std::io::Error| format!("{QEMU}: {error}");
            let mut qemu = Command::new(QEMU);
            qemu.args(["-machine", "pc", "-smp", "1", "-m", "700M", "-rtc", &format!("base={time}"), "-virtfs", ROOT]);
            self.boot(&mut qemu, &format!("lab.host={name}"));
            network(&mut qemu, at + 2);
            let disk = new_disk(self.folder, &format!("host-{name}"), 256)?;
            qemu.args(["-drive", &format!("if=virtio,format=raw,file={}", disk.display())]);
            let console = File::create(self.folder.join(format!("console-{name}.log"))).map_err(failed)?;
            qemu.stdin(Stdio::null()).stdout(console).spawn().map(Host).map_err(failed)
        };
        further.map(start).collect()
    }

    /// Sets what all machines have: the CPU, the kernel, the file system with the tests, the serial console.
    fn boot(&self, qemu: &mut Command, kernel_options: &str) {
        let append = format!("{KERNEL_OPTIONS} {kernel_options}");
        qemu.args(["-accel", "tcg,thread=multi", "-cpu", "max", "-nographic", "-no-reboot"]);
        qemu.arg("-kernel").arg(&self.kernel.image).arg("-initrd").arg(&self.image.path).args(["-append", &append]);
    }

    /// Sets the arguments: the disks are new files. There is a network only between the machines of a test.
    fn configure(&mut self, kernel_options: &str) -> Result<(), String> {
        let mut options = kernel_options.to_owned();
        if let Some(source) = &self.fio_source {
            let source = std::path::absolute(source).map_err(|error| format!("{}: {error}", source.display()))?;
            options += &format!(" lab.fio={}", source.display());
        }
        let mut qemu = std::mem::replace(&mut self.qemu, Command::new(QEMU));
        qemu.args(["-machine", "pc,nvdimm=on", "-smp", "2", "-m", "1600M,slots=2,maxmem=4G"]);
        self.boot(&mut qemu, &options);
        if self.fio_source.is_some() || self.hosts > 1 {
            qemu.args(["-virtfs", ROOT]);
        }
        match self.hosts {
            1 => drop(qemu.args(["-nic", "none"])),
            _ => network(&mut qemu, 1),
        }
        self.qemu = qemu;
        for (name, mib) in DISKS {
            let path = new_disk(self.folder, name, mib)?;
            if name == "pmem" {
                let memory = format!("memory-backend-file,id=pmem,share=on,mem-path={},size={mib}M", path.display());
                self.qemu.args(["-object", &memory, "-device", "nvdimm,memdev=pmem"]);
                continue;
            }
            let locking = if name == "paths" { ",file.locking=off" } else { "" };
            let file = if name == "faulty" { format!("{FAULTS}.filename") } else { "file".to_owned() };
            let drive = |id: &str| format!("if=none,format=raw,id={id},{file}={}{locking}", path.display());
            self.qemu.args(["-drive", &drive(name)]);
            if name == "paths" {
                self.qemu.args(["-drive", &drive("paths2")]);
            }
        }
        self.add_devices();
        Ok(())
    }

    fn add_devices(&mut self) {
        let mut device = |text: &str| {
            self.qemu.args(["-device", text]);
        };
        for (controller, more) in [("nvme0", ""), ("nvme1", ""), ("nvme2", READ_ONLY_WARNING)] {
            device(&format!("nvme,id={controller},serial=lab-{controller}{more}"));
        }
        for (disk, controller, more) in NAMESPACES {
            device(&format!("nvme-ns,drive={disk},bus={controller}{more}"));
        }
        device("virtio-scsi-pci,id=scsi");
        device("scsi-hd,bus=scsi.0,drive=scsi,serial=lab-scsi");
        // Two paths to one disk.
        device("scsi-hd,bus=scsi.0,drive=paths,serial=lab-paths,wwn=0x5000c50015ea71aa");
        device("scsi-hd,bus=scsi.0,drive=paths2,serial=lab-paths,wwn=0x5000c50015ea71aa,share-rw=on");
        device("ahci,id=ahci");
        device("ide-hd,bus=ahci.0,drive=sata,serial=lab-sata");
        device("virtio-blk-pci,drive=spare,serial=lab-spare");
    }
}

/// Connects a machine to the others, by multicast on the loopback interface of the host.
fn network(qemu: &mut Command, number: usize) {
    let port = 20_000 + std::process::id() % 10_000;
    qemu.args(["-netdev", &format!("socket,id=net,mcast=230.77.0.1:{port},localaddr=127.0.0.1")]);
    qemu.args(["-device", &format!("virtio-net-pci,netdev=net,mac=52:54:00:77:00:0{number},romfile=")]);
}

fn new_disk(folder: &Path, name: &str, mib: u64) -> Result<PathBuf, String> {
    let path = folder.join(format!("{name}.img"));
    let made = File::create(&path).and_then(|file| file.set_len(mib << 20));
    made.map(|()| path.clone()).map_err(|error| format!("{}: {error}", path.display()))
}

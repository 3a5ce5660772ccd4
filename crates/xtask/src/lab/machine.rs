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
const DISKS: [(&str, u64); 10] = [
    ("plain", 256),
    ("large", 128),
    ("pi", 64),
    ("zoned", 256),
    ("gone", 64),
    ("scsi", 256),
    ("paths", 64),
    ("sata", 64),
    ("pmem", 128),
    ("spare", 256),
];
/// NVMe namespaces: disk, controller, and further properties.
const NAMESPACES: [(&str, &str, &str); 5] = [
    ("plain", "nvme0", ""),
    ("large", "nvme0", ",logical_block_size=4096,physical_block_size=4096"),
    ("pi", "nvme0", ",ms=8,mset=1,pi=1"),
    ("zoned", "nvme1", ",zoned=true,zoned.zone_size=1M,zoned.max_open=8,zoned.max_active=12"),
    ("gone", "nvme2", ""),
];

/// Bit 3 of the critical warning in the SMART / health log of NVMe.
const READ_ONLY_WARNING: &str = ",smart_critical_warning=8";

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
}

impl Machine<'_> {
    /// Runs a shell on the machine, with this terminal.
    ///
    /// # Errors
    ///
    /// The machine does not start, or fails.
    pub fn shell(mut self) -> Result<(), String> {
        self.configure("lab.shell")?;
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

    /// Sets the arguments: a machine without network, whose disks are new files.
    fn configure(&mut self, kernel_options: &str) -> Result<(), String> {
        let mut append = format!("console=ttyS0 quiet loglevel=1 panic=-1 memhp_default_state=online {kernel_options}");
        if let Some(source) = &self.fio_source {
            let source = std::path::absolute(source).map_err(|error| format!("{}: {error}", source.display()))?;
            append += &format!(" lab.fio={}", source.display());
            // The shell, Python and the other programs that its tests use.
            let root = "local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap";
            self.qemu.args(["-virtfs", root]);
        }
        let memory = "1600M,slots=2,maxmem=4G";
        let qemu = &mut self.qemu;
        qemu.args(["-machine", "pc,nvdimm=on", "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2", "-m", memory]);
        qemu.args(["-nographic", "-no-reboot", "-nic", "none"]).arg("-kernel").arg(&self.kernel.image);
        qemu.arg("-initrd").arg(&self.image.path).args(["-append", &append]);
        for (name, mib) in DISKS {
            let path = new_disk(self.folder, name, mib)?;
            if name == "pmem" {
                let memory = format!("memory-backend-file,id=pmem,share=on,mem-path={},size={mib}M", path.display());
                self.qemu.args(["-object", &memory, "-device", "nvdimm,memdev=pmem"]);
                continue;
            }
            let locking = if name == "paths" { ",file.locking=off" } else { "" };
            let drive = |id: &str| format!("if=none,format=raw,id={id},file={}{locking}", path.display());
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

fn new_disk(folder: &Path, name: &str, mib: u64) -> Result<PathBuf, String> {
    let path = folder.join(format!("{name}.img"));
    let made = File::create(&path).and_then(|file| file.set_len(mib << 20));
    made.map(|()| path.clone()).map_err(|error| format!("{}: {error}", path.display()))
}

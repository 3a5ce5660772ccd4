//! The kernel of the virtual machine, from a package of Debian, and its initramfs with fathom, the tests and the programs that they
//! use.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::table::Script;
use crate::cargo::cargo;
use crate::steps::check;

/// Folders of kernel modules that the tests use.
const MODULES: [&str; 37] = [
    "arch/x86/crypto",
    "block",
    "crypto",
    "drivers/acpi/nfit",
    "drivers/ata",
    "drivers/block",
    "drivers/dax",
    "drivers/hwmon/drivetemp.ko",
    "drivers/md",
    "drivers/mtd",
    "drivers/net/net_failover.ko",
    "drivers/net/virtio_net.ko",
    "drivers/nvdimm",
    "drivers/nvme",
    "drivers/scsi",
    "drivers/virtio",
    "fs/9p",
    "fs/btrfs",
    "fs/configfs",
    "fs/ext4",
    "fs/fscache",
    "fs/fuse",
    "fs/jbd2",
    "fs/jffs2",
    "fs/lockd",
    "fs/mbcache.ko",
    "fs/netfs",
    "fs/nfs",
    "fs/nfs_common",
    "fs/xfs",
    "lib",
    "mm",
    "net/9p",
    "net/core/failover.ko",
    "net/dns_resolver",
    "net/sunrpc",
    "net/tls",
];
/// Programs that tests use. A program that the host lacks is left out, and its tests skip.
const PROGRAMS: [&str; 7] = ["dmsetup", "mdadm", "lvm", "make-bcache", "mkfs.btrfs", "mkfs.ext4", "mkswap"];
/// Libraries that fathom loads when a job needs them.
const LIBRARIES: [&str; 1] = ["libpmem.so.1"];
/// Programs that the image is made with, and the shell of the virtual machine.
const NEEDED: [&str; 4] = ["busybox", "cpio", "gzip", "depmod"];

/// A kernel with its modules.
pub struct Kernel {
    pub image: PathBuf,
    /// The folder whose name is the version.
    modules: PathBuf,
}

impl Kernel {
    /// Unpacks the kernel package, which is not installed: a name that apt knows, a file, or a folder with unpacked packages. `None` if
    /// it is not available.
    ///
    /// # Errors
    ///
    /// The package is broken.
    pub fn fetch(folder: &Path, package: &str) -> Result<Option<Kernel>, String> {
        if Path::new(package).is_dir() {
            return Kernel::in_folder(Path::new(package)).map(Some);
        }
        let file = Path::new(package).is_file().then(|| Path::new(package));
        let name = file.map_or_else(|| newest(package), |file| Some(file.file_stem()?.to_string_lossy().into_owned()));
        let Some(package) = name else { return Ok(None) };
        let (root, unpacked) = (folder.join(format!("{package}.new")), folder.join(&package));
        if !unpacked.exists() {
            drop(fs::remove_dir_all(&root));
            fs::create_dir_all(&root).map_err(|error| format!("{}: {error}", root.display()))?;
            let archive = match file {
                Some(file) => file.to_owned(),
                None if download(&package, &root) => only(&root, |name| name.ends_with(".deb"))?,
                None => return Ok(None),
            };
            let mut unpack = Command::new("dpkg-deb");
            unpack.arg("-x").arg(&archive).arg(&root);
            check("unpack the kernel", unpack)?;
            fs::rename(&root, &unpacked).map_err(|error| format!("{}: {error}", unpacked.display()))?;
        }
        Kernel::in_folder(&unpacked).map(Some)
    }

    /// Finds the kernel in a folder with unpacked packages. Newer ones have everything below `/usr/lib/modules`.
    fn in_folder(folder: &Path) -> Result<Kernel, String> {
        let modules = ["lib/modules", "usr/lib/modules"].map(|name| folder.join(name)).into_iter();
        let modules = modules.map(|folder| only(&folder, |_| true)).find(Result::is_ok);
        let modules = modules.ok_or_else(|| format!("{}: no modules of a kernel", folder.display()))??;
        let own = modules.join("vmlinuz");
        let image = if own.exists() { own } else { only(&folder.join("boot"), |name| name.starts_with("vmlinuz"))? };
        Ok(Kernel { image, modules })
    }
}

/// Downloads a package into a folder. Returns false if it is not available.
fn download(package: &str, folder: &Path) -> bool {
    let mut download = Command::new("apt-get");
    download.args(["download", "--quiet=2", package]).current_dir(folder).stdin(Stdio::null());
    download.status().is_ok_and(|status| status.success())
}

/// Returns the kernel package that a metapackage depends on, such as `linux-image-amd64`. Returns the name of other packages. `None` if
/// apt does not know the package.
fn newest(package: &str) -> Option<String> {
    let output = Command::new("apt-cache").args(["depends", package]).stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let real = text.lines().filter_map(|line| line.trim().strip_prefix("Depends: "));
    let mut real = real.filter(|name| name.starts_with("linux-image-"));
    output.status.success().then(|| real.next().unwrap_or(package).to_owned())
}

fn only(folder: &Path, is: impl Fn(&str) -> bool) -> Result<PathBuf, String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths = entries.filter_map(Result::ok).map(|entry| entry.path());
    let found = paths.find(|path| path.file_name().and_then(|name| name.to_str()).is_some_and(&is));
    found.ok_or_else(|| format!("{}: the kernel package lacks a file", folder.display()))
}

/// The initramfs of the virtual machine.
pub struct Image {
    pub path: PathBuf,
}

impl Image {
    /// Builds the initramfs.
    ///
    /// # Errors
    ///
    /// A program for the image is missing (busybox-static, cpio, kmod).
    pub fn build(
        root: &Path,
        folder: &Path,
        (kernel, fathom): (&Kernel, &Path),
        scripts: &[Script],
    ) -> Result<Image, String> {
        let tree = Tree { root: folder.join("root") };
        drop(fs::remove_dir_all(&tree.root));
        for folder in ["bin", "dev", "etc", "lab", "lib", "mnt", "proc", "run", "sys", "tmp", "root", "usr/bin"] {
            tree.create(folder)?;
        }
        tree.copy(Path::new("/bin/busybox"), "bin/busybox")?;
        symlink("busybox", tree.root.join("bin/sh")).map_err(|error| error.to_string())?;
        tree.program(fathom, "bin/fathom")?;
        for program in PROGRAMS {
            if let Some(path) = in_path(program) {
                tree.program(&path, &format!("bin/{program}"))?;
            }
        }
        for library in LIBRARIES {
            let folders = ["/usr/lib/x86_64-linux-gnu", "/usr/lib64"];
            if let Some(path) = first_of(&folders, library) {
                tree.library(&path)?;
            }
        }
        let own = root.join("tests/lab");
        tree.copy(&own.join("init"), "init")?;
        tree.copy(&own.join("lib.sh"), "lab/lib.sh")?;
        if scripts.iter().any(|script| script.hosts > 1) && in_path("ssh-keygen").is_some() {
            let mut key = Command::new("ssh-keygen");
            key.args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(tree.root.join("lab/key"));
            check("make the key of the hosts", key)?;
        }
        for script in scripts {
            tree.copy(&script.path, &format!("lab/{}.test", script.name))?;
        }
        tree.modules(kernel)?;
        let path = folder.join("initramfs");
        let mut pack = Command::new("sh");
        pack.args(["-c", "find . | cpio --quiet -o -H newc >\"$0\""]).arg(&path).current_dir(&tree.root);
        check("pack the file system of the machine", pack)?;
        Ok(Image { path })
    }
}

/// Returns a program without which there is no image.
pub fn missing_program() -> Option<&'static str> {
    NEEDED.into_iter().find(|program| in_path(program).is_none())
}

/// Builds the program to test.
pub fn build_fathom(root: &Path) -> Result<PathBuf, String> {
    check("build", cargo(&["build", "--quiet", "--package", "fathom-storage", "--profile", "quick"]))?;
    Ok(root.join("target/quick/fathom"))
}

fn in_path(program: &str) -> Option<PathBuf> {
    first_of(&["/usr/local/bin", "/usr/local/sbin", "/usr/bin", "/usr/sbin", "/bin", "/sbin"], program)
}

fn first_of(folders: &[&str], name: &str) -> Option<PathBuf> {
    folders.iter().map(|folder| Path::new(folder).join(name)).find(|path| path.exists())
}

struct Tree {
    root: PathBuf,
}

impl Tree {
    fn create(&self, folder: &str) -> Result<(), String> {
        fs::create_dir_all(self.root.join(folder)).map_err(|error| format!("{folder}: {error}"))
    }

    /// Copies a file and makes it executable.
    fn copy(&self, from: &Path, to: &str) -> Result<(), String> {
        let path = self.root.join(to);
        let copied = fs::copy(from, &path).and_then(|_| fs::set_permissions(&path, fs::Permissions::from_mode(0o755)));
        copied.map_err(|error| format!("{}: {error}", from.display()))
    }

    /// Copies a program with its libraries, which keep their paths.
    fn program(&self, from: &Path, to: &str) -> Result<(), String> {
        self.copy(from, to)?;
        self.libraries_of(from)
    }

    /// Copies a library and the libraries that it uses, which keep their paths.
    fn library(&self, path: &Path) -> Result<(), String> {
        self.copy_to_same_path(path)?;
        self.libraries_of(path)
    }

    fn libraries_of(&self, program: &Path) -> Result<(), String> {
        let output = Command::new("ldd").arg(program).output().map_err(|error| format!("ldd: {error}"))?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        // `name => /path (address)`, or `/path (address)`.
        let mut paths = text.lines().filter_map(|line| line.split_whitespace().find(|word| word.starts_with('/')));
        paths.try_for_each(|path| self.copy_to_same_path(Path::new(path)))
    }

    fn copy_to_same_path(&self, path: &Path) -> Result<(), String> {
        let text = path.to_string_lossy();
        let to = text.trim_start_matches('/');
        if self.root.join(to).exists() {
            return Ok(());
        }
        self.create(to.rsplit_once('/').map_or("", |(folder, _)| folder))?;
        self.copy(path, to)
    }

    fn modules(&self, kernel: &Kernel) -> Result<(), String> {
        let version = kernel.modules.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let target = self.root.join("lib/modules").join(&version);
        fs::create_dir_all(&target).map_err(|error| format!("{}: {error}", target.display()))?;
        let mut copy = Command::new("cp");
        // Older kernels have some of them built in. Newer ones compress them.
        let wanted = MODULES.iter().flat_map(|name| [format!("kernel/{name}"), format!("kernel/{name}.xz")]);
        let present: Vec<String> = wanted.filter(|name| kernel.modules.join(name).exists()).collect();
        copy.args(["-a", "--parents"]).args(present).args(["modules.builtin", "modules.order"]).arg(&target);
        check("copy kernel modules", {
            copy.current_dir(&kernel.modules);
            copy
        })?;
        let mut depmod = Command::new(in_path("depmod").ok_or("no depmod: apt-get install kmod")?);
        depmod.arg("-b").arg(&self.root).arg(&version);
        check("depmod", depmod)
    }
}

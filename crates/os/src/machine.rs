//! The machine as a whole: host name, kernel, CPU model, memory.

use std::ffi::CStr;
use std::io;
use std::path::Path;

use crate::file::check;

/// Returns the host name.
///
/// # Errors
/// Returns the error of the system.
pub fn hostname() -> io::Result<String> {
    names().map(|names| text(&names.nodename))
}

/// Returns the release of the running kernel, such as `6.8.0-45-generic`.
///
/// # Errors
/// Returns the error of the system.
pub fn kernel_release() -> io::Result<String> {
    names().map(|names| text(&names.release))
}

/// Returns the model of the CPU, of the board if the CPU has no name, or else the architecture.
///
/// # Errors
/// Returns the error of the system.
pub fn cpu_model() -> io::Result<String> {
    let named = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|cpuinfo| cpu_model_in(&cpuinfo));
    // On Arm the device tree names the board.
    let board = || std::fs::read_to_string(Path::new("/sys/firmware/devicetree/base/model")).ok();
    let named = named.or_else(board).map(|name| name.trim_end_matches('\0').trim().to_string());
    match named.filter(|name| !name.is_empty()) {
        Some(name) => Ok(name),
        None => names().map(|names| text(&names.machine)),
    }
}

/// The first CPU's name in `/proc/cpuinfo`: each architecture has a word of its own for it.
fn cpu_model_in(cpuinfo: &str) -> Option<String> {
    const WORDS: [&str; 5] = ["model name", "Model Name", "cpu model", "cpu", "uarch"];
    let value_of = |word: &str| {
        let mut fields = cpuinfo.lines().filter_map(|line| line.split_once(':'));
        fields.find(|(name, _)| name.trim() == word).map(|(_, value)| value.trim().to_string())
    };
    WORDS.iter().find_map(|word| value_of(word)).filter(|name| !name.is_empty())
}

/// Returns vendor and product name of the machine. `None` if the firmware has neither.
pub fn model() -> Option<String> {
    model_in(Path::new("/sys/class/dmi/id"))
}

fn model_in(folder: &Path) -> Option<String> {
    let names =
        ["sys_vendor", "product_name"].map(|name| std::fs::read_to_string(folder.join(name)).unwrap_or_default());
    let [vendor, product] = names.each_ref().map(|name| name.trim());
    let model = if product.starts_with(vendor) { product.to_owned() } else { format!("{vendor} {product}") };
    let model = model.trim();
    (!model.is_empty()).then(|| model.to_owned())
}

/// Returns the machine's memory in bytes.
///
/// # Errors
/// Returns the error of the system.
pub fn total_memory() -> io::Result<u64> {
    // SAFETY: the structure is plain numbers; all zeroes is one.
    let mut info: libc::sysinfo = unsafe { std::mem::zeroed() };
    // SAFETY: the kernel fills the structure.
    check(unsafe { libc::sysinfo(&mut info) })?;
    Ok(info.totalram * u64::from(info.mem_unit))
}

fn names() -> io::Result<libc::utsname> {
    // SAFETY: the structure is plain bytes; all zeroes is one.
    let mut names: libc::utsname = unsafe { std::mem::zeroed() };
    // SAFETY: the kernel fills the structure.
    check(unsafe { libc::uname(&mut names) })?;
    Ok(names)
}

fn text(field: &[libc::c_char]) -> String {
    let bytes: Vec<u8> = field.iter().map(|byte| *byte as u8).collect();
    match CStr::from_bytes_until_nul(&bytes) {
        Ok(name) => name.to_string_lossy().into_owned(),
        Err(_) => String::from_utf8_lossy(&bytes).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_has_names_and_memory() {
        assert_eq!(hostname().unwrap(), std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap().trim());
        assert_eq!(kernel_release().unwrap(), std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap().trim());
        assert!(!cpu_model().unwrap().is_empty());
        assert!(total_memory().unwrap() > 1 << 20);
    }

    #[test]
    fn the_maker_and_its_product_are_told_once_each() {
        let told = std::env::temp_dir().join(format!("fathom-dmi-{}", std::process::id()));
        std::fs::create_dir_all(&told).unwrap();
        let model = |vendor: &str, product: &str| {
            std::fs::write(told.join("sys_vendor"), vendor).unwrap();
            std::fs::write(told.join("product_name"), product).unwrap();
            model_in(&told)
        };
        assert_eq!(model("Amazon EC2\n", "m5.xlarge\n").unwrap(), "Amazon EC2 m5.xlarge");
        assert_eq!(model("Google\n", "Google Compute Engine\n").unwrap(), "Google Compute Engine");
        assert_eq!(model("\n", "\n"), None);
        std::fs::remove_dir_all(&told).unwrap();
        assert_eq!(model_in(&told), None);
    }

    #[test]
    fn the_cpu_model_is_found_under_the_field_of_each_architecture() {
        let found = |text: &str| cpu_model_in(text);
        let x86 = "processor\t: 0\nmodel\t\t: 167\nmodel name\t: Some(R) Processor @ 2.0: GHz\n";
        assert_eq!(found(x86), Some("Some(R) Processor @ 2.0: GHz".into()));
        assert_eq!(found("processor : 0\ncpu : POWER9, altivec\n"), Some("POWER9, altivec".into()));
        assert_eq!(found("processor : 0\nCPU implementer : 0x41\n"), None);
        assert_eq!(found("model name :\n"), None);
    }
}

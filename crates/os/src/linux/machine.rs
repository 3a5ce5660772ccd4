//! The machine as a whole: host name, kernel, CPU model.

use std::ffi::CStr;
use std::io;
use std::path::Path;

use rustix::system::uname;
use units::untrusted::UntrustedText;

/// Returns the host name.
///
/// # Errors
/// Returns the error of the system call.
pub fn hostname() -> io::Result<UntrustedText> {
    Ok(text(uname().nodename()))
}

/// Returns the release of the running kernel, such as `6.8.0-45-generic`.
///
/// # Errors
/// Returns the error of the system call.
pub fn kernel_release() -> io::Result<UntrustedText> {
    Ok(text(uname().release()))
}

/// Returns the CPU model. If the CPU has no name: the board's model, or the architecture.
///
/// # Errors
/// Returns the error of the system call.
pub fn cpu_model() -> io::Result<UntrustedText> {
    let named = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|cpuinfo| cpu_model_in(&cpuinfo));
    // On Arm the device tree has the name of the board.
    let board = || std::fs::read_to_string(Path::new("/sys/firmware/devicetree/base/model")).ok();
    let named = named.or_else(board).map(|name| name.trim_end_matches('\0').trim().to_string());
    match named.filter(|name| !name.is_empty()) {
        Some(name) => Ok(name.into()),
        None => Ok(text(uname().machine())),
    }
}

/// Returns the first CPU's name in `/proc/cpuinfo`. The field's name depends on the architecture.
fn cpu_model_in(cpuinfo: &str) -> Option<String> {
    const WORDS: [&str; 5] = ["model name", "Model Name", "cpu model", "cpu", "uarch"];
    let value_of = |word: &str| {
        let mut fields = cpuinfo.lines().filter_map(|line| line.split_once(':'));
        fields.find(|(name, _)| name.trim() == word).map(|(_, value)| value.trim().to_string())
    };
    WORDS.iter().find_map(|word| value_of(word)).filter(|name| !name.is_empty())
}

/// Returns vendor and product name of the machine. `None` if the firmware has neither.
pub fn model() -> Option<UntrustedText> {
    model_in(Path::new("/sys/class/dmi/id")).map(UntrustedText::from)
}

fn model_in(folder: &Path) -> Option<String> {
    let names =
        ["sys_vendor", "product_name"].map(|name| std::fs::read_to_string(folder.join(name)).unwrap_or_default());
    let [vendor, product] = names.each_ref().map(|name| name.trim());
    let model = if product.starts_with(vendor) { product.to_owned() } else { format!("{vendor} {product}") };
    let model = model.trim();
    (!model.is_empty()).then(|| model.to_owned())
}

fn text(name: &CStr) -> UntrustedText {
    name.to_string_lossy().into_owned().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "it compares with answers of the kernel")]
    fn the_machine_has_names() {
        assert_eq!(hostname().unwrap(), std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap().trim());
        assert_eq!(kernel_release().unwrap(), std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap().trim());
        assert!(!cpu_model().unwrap().is_empty());
    }

    #[test]
    fn machine_model_has_vendor_and_product_once() {
        let folder = std::env::temp_dir().join(format!("fathom-dmi-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let model = |vendor: &str, product: &str| {
            std::fs::write(folder.join("sys_vendor"), vendor).unwrap();
            std::fs::write(folder.join("product_name"), product).unwrap();
            model_in(&folder)
        };
        assert_eq!(model("Amazon EC2\n", "m5.xlarge\n").unwrap(), "Amazon EC2 m5.xlarge");
        assert_eq!(model("Google\n", "Google Compute Engine\n").unwrap(), "Google Compute Engine");
        assert_eq!(model("\n", "\n"), None);
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(model_in(&folder), None);
    }

    #[test]
    fn the_cpu_model_is_found_under_the_field_of_each_architecture() {
        let found = |text: &str| cpu_model_in(text);
        let x86 = "cpu family\t: 6\nmodel\t\t: 167\nmodel name\t: Some(R) CPU @ 2.0: GHz\n";
        assert_eq!(found(x86), Some("Some(R) CPU @ 2.0: GHz".into()));
        assert_eq!(found("timebase : 512000000\ncpu : POWER9, altivec\n"), Some("POWER9, altivec".into()));
        assert_eq!(found("BogoMIPS : 50.00\nCPU implementer : 0x41\n"), None);
        assert_eq!(found("model name :\n"), None);
    }
}

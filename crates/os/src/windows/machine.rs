//! The machine as a whole: host name, version of Windows, CPU model.

use std::io;

use units::untrusted::UntrustedText;
use windows_sys::Wdk::System::SystemServices::RtlGetVersion;
use windows_sys::Win32::System::SystemInformation::{
    ComputerNamePhysicalDnsHostname, GetComputerNameExW, OSVERSIONINFOW,
};

use super::handle::{check, text};
use super::registry::machine_text;

const BIOS: &str = r"HARDWARE\DESCRIPTION\System\BIOS";
const CPU: &str = r"HARDWARE\DESCRIPTION\System\CentralProcessor\0";

/// Returns the host name.
///
/// # Errors
/// Returns the error of the call.
pub fn hostname() -> io::Result<UntrustedText> {
    let mut name = [0u16; 256];
    let mut units = name.len() as u32;
    // SAFETY: the call writes at most `units` units to the array.
    check(unsafe { GetComputerNameExW(ComputerNamePhysicalDnsHostname, name.as_mut_ptr(), &mut units) })?;
    Ok(text(&name).into())
}

/// Returns the version of Windows, such as `Windows 10.0.20348`.
///
/// # Errors
/// None.
pub fn kernel_release() -> io::Result<UntrustedText> {
    let mut version = OSVERSIONINFOW {
        dwOSVersionInfoSize: size_of::<OSVERSIONINFOW>() as u32,
        dwMajorVersion: 0,
        dwMinorVersion: 0,
        dwBuildNumber: 0,
        dwPlatformId: 0,
        szCSDVersion: [0; 128],
    };
    // SAFETY: the call fills the structure, whose size is in it. It cannot fail.
    unsafe { RtlGetVersion(&mut version) };
    let OSVERSIONINFOW { dwMajorVersion: major, dwMinorVersion: minor, dwBuildNumber: build, .. } = version;
    Ok(format!("Windows {major}.{minor}.{build}").into())
}

/// Returns the CPU model, or the architecture if the registry does not have it.
///
/// # Errors
/// None.
pub fn cpu_model() -> io::Result<UntrustedText> {
    Ok(machine_text(CPU, "ProcessorNameString").map_or_else(|| std::env::consts::ARCH.into(), UntrustedText::from))
}

/// Returns vendor and product name of the machine. `None` if the firmware has neither.
pub fn model() -> Option<UntrustedText> {
    let [vendor, product] =
        ["SystemManufacturer", "SystemProductName"].map(|name| machine_text(BIOS, name).unwrap_or_default());
    let model = if product.starts_with(&vendor) { product } else { format!("{vendor} {product}").trim().to_owned() };
    (!model.is_empty()).then(|| model.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_has_names() {
        assert!(!hostname().unwrap().is_empty() && !cpu_model().unwrap().is_empty());
        assert!(kernel_release().unwrap().raw().starts_with("Windows "));
    }
}

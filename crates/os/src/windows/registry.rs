//! Text values of the registry.

use windows_sys::Win32::System::Registry::{HKEY_LOCAL_MACHINE, RRF_RT_REG_SZ, RegGetValueW};

use super::handle::{text, wide};

/// Returns a text below `HKEY_LOCAL_MACHINE`. `None` if there is none.
pub(super) fn machine_text(key: &str, name: &str) -> Option<String> {
    let (key, name) = (wide(key).ok()?, wide(name).ok()?);
    let mut value = [0u16; 512];
    let mut bytes = size_of_val(&value) as u32;
    // SAFETY: the names are strings with a final NUL, and the call writes at most `bytes` bytes to the array.
    let code = unsafe {
        RegGetValueW(
            HKEY_LOCAL_MACHINE,
            key.as_ptr(),
            name.as_ptr(),
            RRF_RT_REG_SZ,
            std::ptr::null_mut(),
            value.as_mut_ptr().cast(),
            &mut bytes,
        )
    };
    (code == 0).then(|| text(&value).trim().to_owned()).filter(|text| !text.is_empty())
}

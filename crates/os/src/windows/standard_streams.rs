//! Standard output as the program was started with it.

use windows_sys::Win32::Foundation::INVALID_HANDLE_VALUE;
use windows_sys::Win32::System::Console::{GetStdHandle, STD_OUTPUT_HANDLE};

/// Returns whether the process has no standard output.
pub fn is_output_closed() -> bool {
    // SAFETY: no pointers.
    let handle = unsafe { GetStdHandle(STD_OUTPUT_HANDLE) };
    handle.is_null() || handle == INVALID_HANDLE_VALUE
}

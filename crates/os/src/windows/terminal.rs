//! Input of the console that the process reads keys from.

use std::io;
use std::os::windows::io::{AsRawHandle, OwnedHandle};
use std::time::Duration;

use windows_sys::Win32::Foundation::{GENERIC_READ, GENERIC_WRITE, WAIT_OBJECT_0};
use windows_sys::Win32::Storage::FileSystem::{CreateFileW, FILE_SHARE_READ, FILE_SHARE_WRITE, OPEN_EXISTING};
use windows_sys::Win32::System::Console::{
    GetNumberOfConsoleInputEvents, INPUT_RECORD, KEY_EVENT, KEY_EVENT_RECORD, ReadConsoleInputW,
};
use windows_sys::Win32::System::Threading::WaitForSingleObject;

use super::handle::{owned, wide};
use crate::terminal::Input;

/// Virtual key codes of the keys without a character, and what terminals send for them.
const KEYS: [(u16, &[u8]); 8] = [
    (0x21, b"\x1b[5~"),
    (0x22, b"\x1b[6~"),
    (0x23, b"\x1b[F"),
    (0x24, b"\x1b[H"),
    (0x25, b"\x1b[D"),
    (0x26, b"\x1b[A"),
    (0x27, b"\x1b[C"),
    (0x28, b"\x1b[B"),
];

/// The input of the console.
pub struct TerminalInput(OwnedHandle);

impl TerminalInput {
    /// Opens the input of the process's console.
    ///
    /// # Errors
    /// The process has none.
    pub fn open() -> io::Result<Self> {
        let name = wide("CONIN$")?;
        let share = FILE_SHARE_READ | FILE_SHARE_WRITE;
        let access = GENERIC_READ | GENERIC_WRITE;
        let (null, none) = (std::ptr::null(), std::ptr::null_mut());
        // SAFETY: the name is a string with a final NUL. The handle is new.
        unsafe { owned(CreateFileW(name.as_ptr(), access, share, null, OPEN_EXISTING, 0, none)) }.map(TerminalInput)
    }

    /// Waits for keys and reads them, as the bytes that a terminal sends.
    pub fn read(&self, wait: Duration, bytes: &mut [u8]) -> Input {
        let wait_ms = u32::try_from(wait.as_millis()).unwrap_or(u32::MAX - 1);
        // SAFETY: the handle is open.
        if unsafe { WaitForSingleObject(self.0.as_raw_handle(), wait_ms) } != WAIT_OBJECT_0 {
            return Input::None;
        }
        let mut count = 0;
        while let Some(record) = self.next_event() {
            let Some(key) = record else { continue };
            let pressed = bytes_of(&key);
            let Some(room) = bytes.get_mut(count..count + pressed.len()) else { break };
            room.copy_from_slice(&pressed);
            count += pressed.len();
        }
        if count > 0 { Input::Bytes(count) } else { Input::None }
    }

    /// Returns the next event if there is one: `Some(None)` if it is not of a pressed key.
    fn next_event(&self) -> Option<Option<KEY_EVENT_RECORD>> {
        let mut events = 0;
        // SAFETY: the call fills the number.
        if unsafe { GetNumberOfConsoleInputEvents(self.0.as_raw_handle(), &mut events) } == 0 || events == 0 {
            return None;
        }
        let mut record = INPUT_RECORD::default();
        // SAFETY: the call fills at most one record.
        if unsafe { ReadConsoleInputW(self.0.as_raw_handle(), &mut record, 1, &mut events) } == 0 || events == 0 {
            return None;
        }
        if u32::from(record.EventType) != KEY_EVENT {
            return Some(None);
        }
        // SAFETY: the type says that the event is one of a key.
        let key = unsafe { record.Event.KeyEvent };
        Some((key.bKeyDown != 0).then_some(key))
    }
}

fn bytes_of(key: &KEY_EVENT_RECORD) -> Vec<u8> {
    // SAFETY: both members of the union are plain numbers.
    let unit = unsafe { key.uChar.UnicodeChar };
    if unit != 0 {
        return String::from_utf16_lossy(&[unit]).into_bytes();
    }
    let special = KEYS.iter().find(|(code, _)| *code == key.wVirtualKeyCode);
    special.map(|(_, bytes)| bytes.to_vec()).unwrap_or_default()
}

//! The operating system.

use std::fmt;

/// The operating systems that differ in what a command line can request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum System {
    Linux,
    Windows,
}

impl System {
    /// The system that the program is compiled for.
    pub const HERE: System = if cfg!(windows) { System::Windows } else { System::Linux };

    pub const fn is_windows(self) -> bool {
        matches!(self, System::Windows)
    }
}

impl fmt::Display for System {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            System::Linux => "Linux",
            System::Windows => "Windows",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systems_have_names() {
        assert_eq!([System::Linux, System::Windows].map(System::is_windows), [false, true]);
        assert_eq!([System::Linux, System::Windows].map(|system| system.to_string()), ["Linux", "Windows"]);
    }
}

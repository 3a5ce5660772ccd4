//! Faults as data: which operation fails, and how.

use std::fmt;

/// An operation of the file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    GetAttr,
    Open,
    Create,
    Read,
    Write,
    Truncate,
    Allocate,
    Fsync,
    Close,
    Unlink,
    Rename,
    MakeFolder,
}

/// What happens at the operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It fails with EIO.
    Eio,
    /// It fails with ENOSPC.
    Enospc,
    /// It fails with EROFS.
    Erofs,
    /// It transfers half of the bytes.
    Half,
    /// It transfers no byte.
    Nothing,
    /// It does not complete.
    Hangs,
    /// The server ends the connection.
    Disconnects,
}

/// A fault of a file.
#[derive(Debug, Clone, Copy)]
pub struct Fault {
    /// The end of the file's name.
    pub file: &'static str,
    pub operation: Operation,
    /// The first operation that is affected, from 1. All later ones are, too.
    pub nth: u32,
    pub effect: Effect,
}

impl Fault {
    /// Each name ends with it.
    pub const ANY: &str = "";

    /// A fault of the file `f`.
    pub const fn new(operation: Operation, nth: u32, effect: Effect) -> Self {
        Fault { file: "f", operation, nth, effect }
    }

    pub const fn of(self, file: &'static str) -> Self {
        Fault { file, ..self }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        let operation = match self.operation {
            Operation::GetAttr => "getattr",
            Operation::Open => "open",
            Operation::Create => "create",
            Operation::Read => "read",
            Operation::Write => "write",
            Operation::Truncate => "truncate",
            Operation::Allocate => "fallocate",
            Operation::Fsync => "fsync",
            Operation::Close => "close",
            Operation::Unlink => "unlink",
            Operation::Rename => "rename",
            Operation::MakeFolder => "mkdir",
        };
        let effect = match self.effect {
            Effect::Eio => "EIO",
            Effect::Enospc => "ENOSPC",
            Effect::Erofs => "EROFS",
            Effect::Half => "half of the bytes",
            Effect::Nothing => "0 bytes",
            Effect::Hangs => "does not complete",
            Effect::Disconnects => "the server disconnects",
        };
        write!(to, "{operation}")?;
        if self.nth > 1 {
            write!(to, " {}", self.nth)?;
        }
        if self.file == Self::ANY {
            write!(to, " of any file")?;
        } else if self.file != "f" {
            write!(to, " of `{}`", self.file)?;
        }
        write!(to, ": {effect}")
    }
}

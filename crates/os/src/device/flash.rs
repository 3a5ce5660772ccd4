//! Raw flash (MTD).

/// Geometry of a device of raw flash.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Flash {
    pub bytes: u64,
    /// Erase block: the smallest range that can be erased.
    pub erase_bytes: u64,
    /// Page: the smallest write.
    pub write_bytes: u64,
    pub is_writable: bool,
}

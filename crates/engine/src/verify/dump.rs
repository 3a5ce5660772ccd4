//! Files with the content of blocks that failed their verification (`verify_dump`).

use std::io::Write;
use std::path::{Path, PathBuf};

use plan::Verify;
use targets::{Existing, NamedBy, OutputError, OutputGuard};

/// Writes a block to a file in the folder of dumps. Its name has the name of the target, the offset and the kind of data.
///
/// # Errors
/// The file is refused, or cannot be written.
pub fn write(
    guard: &mut OutputGuard,
    verify: &Verify,
    target: &Path,
    offset: u64,
    kind: &str,
    data: &[u8],
) -> Result<(), OutputError> {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let name = format!("{name}.{offset}.{kind}");
    let path = verify.folder.as_ref().map_or_else(|| PathBuf::from(&name), |folder| Path::new(folder).join(&name));
    let mut file = guard.open(&path, Existing::Truncate, NamedBy::Program)?;
    Ok(file.write_all(data)?)
}

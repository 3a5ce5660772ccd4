//! Lowers the options of engines whose targets are on another machine.

use plan::Remote;

use crate::parse::values::Values;

pub(super) fn nfs(values: &Values) -> Remote {
    Remote::Nfs { url: values.text("nfs_url").unwrap_or_default().to_owned() }
}

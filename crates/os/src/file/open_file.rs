//! What open files of all systems have.

use std::path::Path;

use super::{File, FileId, Inode, Kind};

impl File {
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn kind(&self) -> Kind {
        self.kind
    }

    pub fn id(&self) -> FileId {
        self.id
    }

    /// Returns the inode, as [`identity`](super::identity) does.
    pub fn identity(&self) -> Inode {
        self.id.inode()
    }
}

//! Folders and files in memory.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::time::UNIX_EPOCH;

use fuser::{Errno, FileAttr, FileType, INodeNo};

pub(super) const ROOT: u64 = 1;

/// All nodes by number. A removed file keeps its node, as a process can have it open.
pub(super) struct Tree {
    nodes: BTreeMap<u64, Node>,
}

enum Content {
    File(Vec<u8>),
    Folder(BTreeMap<OsString, u64>),
}

struct Node {
    name: OsString,
    content: Content,
    perm: u16,
}

impl Tree {
    pub(super) fn new() -> Self {
        let root = Node { name: OsString::new(), content: Content::Folder(BTreeMap::new()), perm: 0o777 };
        Tree { nodes: BTreeMap::from([(ROOT, root)]) }
    }

    /// Returns the name that a node had when it was made or renamed.
    pub(super) fn name(&self, node: u64) -> String {
        self.nodes.get(&node).map(|node| node.name.to_string_lossy().into_owned()).unwrap_or_default()
    }

    pub(super) fn attributes(&self, node: u64) -> Result<FileAttr, Errno> {
        let Node { content, perm, .. } = self.nodes.get(&node).ok_or(Errno::ENOENT)?;
        let (kind, size) = match content {
            Content::File(bytes) => (FileType::RegularFile, bytes.len() as u64),
            Content::Folder(_) => (FileType::Directory, 0),
        };
        Ok(FileAttr {
            ino: INodeNo(node),
            size,
            blocks: size.div_ceil(512),
            atime: UNIX_EPOCH,
            mtime: UNIX_EPOCH,
            ctime: UNIX_EPOCH,
            crtime: UNIX_EPOCH,
            kind,
            perm: *perm,
            nlink: 1,
            uid: 0,
            gid: 0,
            rdev: 0,
            blksize: 4096,
            flags: 0,
        })
    }

    pub(super) fn set_perm(&mut self, node: u64, perm: u16) {
        if let Some(node) = self.nodes.get_mut(&node) {
            node.perm = perm;
        }
    }

    fn folder(&mut self, node: u64) -> Result<&mut BTreeMap<OsString, u64>, Errno> {
        match self.nodes.get_mut(&node).map(|node| &mut node.content) {
            Some(Content::Folder(names)) => Ok(names),
            Some(Content::File(_)) => Err(Errno::ENOTDIR),
            None => Err(Errno::ENOENT),
        }
    }

    pub(super) fn bytes(&mut self, node: u64) -> Result<&mut Vec<u8>, Errno> {
        match self.nodes.get_mut(&node).map(|node| &mut node.content) {
            Some(Content::File(bytes)) => Ok(bytes),
            Some(Content::Folder(_)) => Err(Errno::EISDIR),
            None => Err(Errno::ENOENT),
        }
    }

    pub(super) fn lookup(&mut self, folder: u64, name: &OsStr) -> Result<u64, Errno> {
        self.folder(folder)?.get(name).copied().ok_or(Errno::ENOENT)
    }

    /// Makes a file with these bytes.
    pub(super) fn make_file(&mut self, folder: u64, name: &OsStr, bytes: Vec<u8>, perm: u16) -> Result<u64, Errno> {
        self.make(folder, Node { name: name.to_owned(), content: Content::File(bytes), perm })
    }

    pub(super) fn make_folder(&mut self, folder: u64, name: &OsStr, perm: u16) -> Result<u64, Errno> {
        self.make(folder, Node { name: name.to_owned(), content: Content::Folder(BTreeMap::new()), perm })
    }

    fn make(&mut self, folder: u64, node: Node) -> Result<u64, Errno> {
        let number = self.nodes.keys().last().map_or(ROOT, |last| last + 1);
        let names = self.folder(folder)?;
        if names.contains_key(&node.name) {
            return Err(Errno::EEXIST);
        }
        names.insert(node.name.clone(), number);
        self.nodes.insert(number, node);
        Ok(number)
    }

    pub(super) fn remove(&mut self, folder: u64, name: &OsStr) -> Result<(), Errno> {
        let node = self.lookup(folder, name)?;
        if self.folder(node).is_ok_and(|names| !names.is_empty()) {
            return Err(Errno::ENOTEMPTY);
        }
        self.folder(folder)?.remove(name);
        Ok(())
    }

    pub(super) fn rename(&mut self, from: (u64, &OsStr), to: (u64, &OsStr)) -> Result<(), Errno> {
        let node = self.lookup(from.0, from.1)?;
        self.folder(to.0)?.insert(to.1.to_owned(), node);
        self.folder(from.0)?.remove(from.1);
        self.nodes.entry(node).and_modify(|node| node.name = to.1.to_owned());
        Ok(())
    }

    /// Returns the names in a folder with their nodes.
    pub(super) fn names(&mut self, folder: u64) -> Result<Vec<(OsString, u64)>, Errno> {
        Ok(self.folder(folder)?.iter().map(|(name, node)| (name.clone(), *node)).collect())
    }

    /// Returns the paths of everything below a folder.
    pub(super) fn paths(&mut self, folder: u64) -> Vec<String> {
        let mut paths = Vec::new();
        for (name, node) in self.names(folder).unwrap_or_default() {
            let name = name.to_string_lossy().into_owned();
            paths.extend(self.paths(node).into_iter().map(|below| format!("{name}/{below}")));
            paths.push(name);
        }
        paths
    }
}

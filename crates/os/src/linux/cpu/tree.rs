//! A simulated `/sys` for tests. It is removed on drop.

use std::path::{Path, PathBuf};

pub(super) struct Tree(PathBuf);

impl Tree {
    pub(super) fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("fathom-os-cpu-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Tree(path)
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    pub(super) fn write(&self, path: &str, text: &str) {
        let path = self.0.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, format!("{text}\n")).unwrap();
    }

    /// Adds CPU `id` on `socket`, with the `siblings` of its core.
    pub(super) fn cpu(&self, id: u32, socket: i32, siblings: &str) {
        let folder = format!("devices/system/cpu/cpu{id}/topology");
        self.write(&format!("{folder}/physical_package_id"), &socket.to_string());
        self.write(&format!("{folder}/core_cpus_list"), siblings);
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}

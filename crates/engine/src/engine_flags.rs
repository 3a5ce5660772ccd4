//! What an engine does with files: fio's engine flags, as far as targets depend on them.

use plan::Engine;

/// How an engine's targets are to be treated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct EngineFlags {
    /// Needs no file on a disk (fio: DISKLESSIO).
    pub diskless: bool,
    /// Opens no files.
    pub without_files: bool,
    /// Transfers to and from a peer. Its links are opened before the measured time.
    pub has_peer: bool,
    /// Moves no data (fio: FAKEIO).
    pub fake: bool,
    /// Issues nothing that counts as I/O (fio: NOIO).
    pub no_io: bool,
    /// Can't write past the end of a file, so that a file is laid out for writes, too (fio: NOEXTEND).
    pub no_extend: bool,
    /// Works on devices that have no cache and no `fsync`.
    pub without_sync: bool,
    /// Makes, looks at or removes targets when they are opened, and nothing else.
    pub metadata: bool,
    /// Works on directories: a target is a directory, made or removed as such.
    pub directories: bool,
    /// Each target counts as one block, whatever it is (fio's get_file_size of filecreate and its kin).
    pub one_block_each: bool,
    /// Directories are made before the run.
    pub makes_directories: bool,
    /// Opens targets for reading, whatever the job does: a mapping must be readable to be written, an exchange of blocks
    /// requires both, and devices return their format to readers.
    pub opens_to_read: bool,
    /// Opens targets for writing, whatever the job does: reserving space is a write.
    pub opens_to_write: bool,
    /// Uses the page cache, also with direct I/O.
    pub uses_cache: bool,
    /// Removes targets, whatever the job does.
    pub removes: bool,
    /// Creates targets, whatever the job does.
    pub creates: bool,
    /// Changes the sizes or the places of targets, also by a read.
    pub resizes: bool,
}

impl EngineFlags {
    pub fn of(engine: &Engine) -> EngineFlags {
        let none = EngineFlags::default();
        let metadata = EngineFlags { fake: true, metadata: true, ..none };
        let without_files = EngineFlags { diskless: true, without_files: true, ..metadata };
        let directories = EngineFlags { directories: true, ..without_files };
        match engine {
            Engine::Null => EngineFlags { diskless: true, without_files: true, fake: true, ..none },
            Engine::Cpu { .. } | Engine::Exec(_) => EngineFlags { diskless: true, no_io: true, ..none },
            Engine::PageFault => EngineFlags { diskless: true, without_files: true, no_extend: true, ..none },
            Engine::Net(_) => EngineFlags { diskless: true, without_files: true, has_peer: true, ..none },
            Engine::Remote(_) => EngineFlags { diskless: true, without_files: true, no_extend: true, ..none },
            Engine::DevDax | Engine::Mtd { .. } => EngineFlags { no_extend: true, without_sync: true, ..none },
            Engine::Mmap { .. } => EngineFlags { no_extend: true, opens_to_read: true, ..none },
            Engine::Libpmem => EngineFlags { no_extend: true, ..none },
            Engine::Sg(_) | Engine::IoUringCmd(_) => EngineFlags { opens_to_read: true, ..none },
            Engine::E4defrag { .. } => EngineFlags { opens_to_read: true, uses_cache: true, resizes: true, ..none },
            Engine::Falloc => EngineFlags { opens_to_write: true, resizes: true, ..none },
            Engine::Ftruncate => EngineFlags { fake: true, resizes: true, ..none },
            Engine::FileStat(_) => metadata,
            Engine::FileDelete => EngineFlags { removes: true, ..metadata },
            Engine::FileCreate => EngineFlags { one_block_each: true, creates: true, ..without_files },
            Engine::DirCreate => EngineFlags { one_block_each: true, creates: true, ..directories },
            Engine::DirStat(_) => EngineFlags { makes_directories: true, ..directories },
            Engine::DirDelete => EngineFlags { makes_directories: true, removes: true, ..directories },
            Engine::IoUring(_)
            | Engine::Libaio { .. }
            | Engine::Sync
            | Engine::Psync
            | Engine::Vsync
            | Engine::Pvsync
            | Engine::Pvsync2 { .. }
            | Engine::Posixaio
            | Engine::Splice
            | Engine::Windowsaio => none,
        }
    }
}

//! `ioengine=nfs`, with nfs-ganesha as server.

use std::fs;
use std::path::PathBuf;

use harness::{Outcome, Scratch, Server, fathom, has_library};

use crate::jobs::{assert_same_sequence, ended, ios, job};

/// URL of the exported directory.
const URL: &str = "nfs://127.0.0.1/data?nfsport=2049&mountport=20491";

struct Export {
    scratch: Scratch,
    /// Exported directory.
    directory: PathBuf,
    server: Server,
}

impl Export {
    fn run(&self, arguments: &str) -> Outcome {
        ended(self.server.in_namespace(&fathom(self.scratch.path(), arguments)))
    }
}

/// Starts a server. Otherwise the test is skipped.
fn export(name: &str) -> Option<Export> {
    if !has_library("libnfs.so") {
        return None;
    }
    let scratch = Scratch::new(name);
    let directory = scratch.path().join("export");
    fs::create_dir(&directory).unwrap();
    let configuration = scratch.path().join("ganesha.conf");
    // libnfs 4 cannot write blocks of 4 KiB with version 4.
    let text = format!(
        "NFS_CORE_PARAM {{ NFS_Port = 2049; MNT_Port = 20491; Enable_NLM = false; Enable_RQUOTA = false; \
         Protocols = 3; mount_path_pseudo = true; }}\n\
         NFSv4 {{ Graceless = true; RecoveryBackend = fs_ng; RecoveryRoot = \"{recovery}\"; }}\n\
         EXPORT {{ Export_Id = 1; Path = \"{path}\"; Pseudo = /data; Access_Type = RW; Squash = No_Root_Squash; \
         SecType = sys; Protocols = 3; FSAL {{ Name = VFS; }} }}\n",
        recovery = scratch.path().join("recovery").display(),
        path = directory.display(),
    );
    fs::write(&configuration, text).unwrap();
    let script = format!(
        "mkdir -p /run/rpcbind && rpcbind && exec ganesha.nfsd -F -L STDOUT -f {} -p {}",
        configuration.display(),
        scratch.path().join("pid").display()
    );
    let server = Server::start_in_namespace(&script, 2049, &scratch.path().join("server.log"))?;
    Some(Export { scratch, directory, server })
}

#[test]
fn what_a_job_writes_is_in_the_files_of_the_server() {
    let Some(export) = export("nfs-write") else { return };
    let run = |arguments: &str| export.run(arguments);
    let both = format!("--name=j --ioengine=nfs --nfs_url={URL} --bs=16k --size=1m --iodepth=8");
    let written = job(&run, &format!("{both} --rw=write --nrfiles=2 --buffer_pattern=0x5a --end_fsync=1 --fsync=8"));
    assert_eq!(ios(&written, "write"), 64);
    assert!(written["sync"]["total_ios"].as_u64().unwrap() >= 6, "{}", written["sync"]);
    for file in ["j.0.0", "j.0.1"] {
        assert_eq!(fs::read(export.directory.join(file)).unwrap(), vec![0x5a; 512 << 10], "{file}");
    }
    let read = job(&run, &format!("{both} --rw=randread --nrfiles=2"));
    assert_eq!((ios(&read, "read"), &read["iodepth_level"]["8"]), (64, &read["iodepth_level"]["8"]));
    assert!(read["read"]["clat_ns"]["min"].as_u64().unwrap() > 1000, "a transfer takes time: {}", read["read"]);
}

#[test]
fn data_is_verified() {
    let Some(export) = export("nfs-verify") else { return };
    let run = |arguments: &str| export.run(arguments);
    let both = format!("--name=j --ioengine=nfs --nfs_url={URL} --bs=8k --size=512k --iodepth=4 --verify=crc32c");
    job(&run, &format!("{both} --rw=randwrite"));
    job(&run, &format!("{both} --rw=read"));
    let path = export.directory.join("j.0.0");
    let mut bytes = fs::read(&path).unwrap();
    bytes[70_000] ^= 1;
    fs::write(&path, bytes).unwrap();
    let ended = export.run(&format!("{both} --rw=read"));
    assert_ne!(ended.code, Some(0));
    ended.complained_of("verify");
}

#[test]
fn the_sequence_of_ios_is_that_of_a_local_file() {
    let Some(export) = export("nfs-sequence") else { return };
    let run = |arguments: &str| export.run(arguments);
    // As in fio, files on a server are not laid out for reads.
    (0..3).for_each(|file| fs::write(export.directory.join(format!("j.0.{file}")), vec![0; 512 << 10]).unwrap());
    let remote = format!("--ioengine=nfs --nfs_url={URL}");
    for options in [
        "--name=j --rw=randrw --bsrange=4k-16k --size=512k --nrfiles=3 --iodepth=1",
        "--name=j --rw=write --bs=8k --size=256k --loops=2",
    ] {
        assert_same_sequence(&run, export.scratch.path(), &remote, options);
    }
}

#[test]
fn errors_name_the_server_and_the_file() {
    let Some(export) = export("nfs-errors") else { return };
    let job =
        |url: &str, options: &str| export.run(&format!("--name=j --ioengine=nfs --nfs_url={url} --size=64k {options}"));
    job("nfs://127.0.0.1/data?nfsport=2048&mountport=2048", "--rw=write").complained_of("127.0.0.1");
    job("127.0.0.1/data", "--rw=write").complained_of("is not an NFS URL");
    job(&URL.replace("/data", "/other"), "--rw=read").complained_of("cannot mount /other of 127.0.0.1");
    job(URL, "--rw=read --filename=none").complained_of("none");
    assert!(!export.directory.join("none").exists());
    job(URL, "--rw=randtrim").complained_of("NFS has no trims");
    job(URL, "--rw=read --opendir=/tmp").complained_of("opendir requires files on this machine");
    fs::create_dir(export.directory.join("folder")).unwrap();
    job(URL, "--rw=write --filename=folder").complained_of("folder on the server is not a file");
    let missing = export.run("--name=j --ioengine=nfs --size=64k");
    missing.ended_with(1).complained_of("nfs_url is missing");
    // Jobs that read need no right to write.
    fs::write(export.directory.join("kept"), vec![1; 64 << 10]).unwrap();
    job(URL, "--rw=read --filename=kept").ended_with(0);
    job(URL, "--rw=write --filename=new --allow_file_create=0").complained_of("new");
    assert!(!export.directory.join("new").exists());
}

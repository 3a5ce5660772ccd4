//! Container images: the static binary in one layer, as an archive of the Open Container Initiative (image-spec 1.0).

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::files::{Folders, VERSION, copy, output, recreate, sha256, write};

/// A file of the archive, by its content.
struct Blob {
    digest: String,
    bytes: u64,
}

impl Blob {
    fn descriptor(&self, media_type: &str) -> Value {
        json!({ "mediaType": media_type, "digest": self.digest, "size": self.bytes })
    }
}

/// Writes the image of a binary for an architecture, as Go names it.
///
/// # Errors
///
/// A program of the system failed, or a file cannot be written.
pub fn write_archive(folders: &Folders, binary: &Path, architecture: &str) -> Result<(), String> {
    let work = folders.root.join("target/package-image").join(architecture);
    recreate(&work)?;
    let root = work.join("root");
    copy(binary, &root.join("usr/bin/fathom"))?;
    for folder in ["data", "tmp"] {
        std::fs::create_dir_all(root.join(folder)).map_err(|error| error.to_string())?;
    }
    let layer = work.join("layer.tar");
    tar(&root, &layer)?;
    let diff_id = digest(&layer)?;
    output(Command::new("gzip").args(["-9", "-n"]).arg(&layer))?;
    let archive = work.join("archive");
    let layer = add(&archive, &std::fs::read(work.join("layer.tar.gz")).map_err(|error| error.to_string())?)?;
    let config = add(&archive, config(architecture, &diff_id).to_string().as_bytes())?;
    let manifest = json!({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": config.descriptor("application/vnd.oci.image.config.v1+json"),
        "layers": [layer.descriptor("application/vnd.oci.image.layer.v1.tar+gzip")],
    });
    let manifest = add(&archive, manifest.to_string().as_bytes())?;
    write(&archive.join("index.json"), index(&manifest, architecture).to_string())?;
    write(&archive.join("oci-layout"), json!({ "imageLayoutVersion": "1.0.0" }).to_string())?;
    tar(&archive, &folders.packages.join(format!("fathom-storage-{VERSION}-{architecture}.oci.tar")))
}

fn config(architecture: &str, diff_id: &str) -> Value {
    json!({
        "architecture": architecture,
        "os": "linux",
        "config": {
            "Entrypoint": ["/usr/bin/fathom"],
            "Cmd": ["--help"],
            "WorkingDir": "/data",
            "Env": ["PATH=/usr/bin", "HOME=/tmp"],
            "Labels": { "org.opencontainers.image.title": "fathom", "org.opencontainers.image.version": VERSION,
                "org.opencontainers.image.licenses": "MIT OR Apache-2.0" },
        },
        "rootfs": { "type": "layers", "diff_ids": [diff_id] },
    })
}

fn index(manifest: &Blob, architecture: &str) -> Value {
    let mut manifest = manifest.descriptor("application/vnd.oci.image.manifest.v1+json");
    manifest["platform"] = json!({ "architecture": architecture, "os": "linux" });
    manifest["annotations"] = json!({ "org.opencontainers.image.ref.name": VERSION });
    json!({ "schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": [manifest] })
}

/// Writes an archive that depends only on the content of the folder.
fn tar(folder: &Path, archive: &Path) -> Result<(), String> {
    let mut tar = Command::new("tar");
    tar.args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mtime=@0", "--mode=u=rwX,go=rX"]);
    output(tar.arg("--create").arg("--file").arg(archive).arg("--directory").arg(folder).arg(".")).map(|_| ())
}

fn digest(path: &Path) -> Result<String, String> {
    sha256(path).map(|sum| format!("sha256:{sum}"))
}

fn add(archive: &Path, content: &[u8]) -> Result<Blob, String> {
    let temporary = archive.join("blob");
    write(&temporary, content)?;
    let digest = digest(&temporary)?;
    let path = archive.join("blobs").join(digest.replace(':', "/"));
    copy(&temporary, &path)?;
    std::fs::remove_file(&temporary).map_err(|error| error.to_string())?;
    Ok(Blob { digest, bytes: content.len() as u64 })
}

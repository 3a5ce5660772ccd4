//! The `.rpm`, installed by dnf with its dependencies. No registry has the packages of a distribution with rpm: the root is
//! the Debian one, and a package made of its own libraries and shell provides what rpm finds in them.

use std::path::Path;
use std::process::Command;

use super::super::files::{copy, output, recreate, write};
use super::{FIRST_STEPS, Place, REMOVED, in_root};

pub const NEEDS: [&str; 5] = ["mmdebstrap", "unshare", "dnf", "createrepo_c", "rpmbuild"];

/// Package of the libraries and the shell in the root `%{from}`.
const SYSTEM: &str = "Name: root-libraries
Version: 12
Release: 1
Summary: C library and shell of the Debian root
License: LGPL-2.1-or-later
# The libraries need it. rpm does not find it, and glibc of the distributions has the same line.
Provides: rtld(GNU_HASH)
%description
C library and shell of the Debian root.
%install
for file in bin/sh lib64/ld-linux-x86-64.so.2 lib/x86_64-linux-gnu/libc.so.6 lib/x86_64-linux-gnu/libm.so.6 \\
    lib/x86_64-linux-gnu/libgcc_s.so.1 lib/x86_64-linux-gnu/libpthread.so.0 lib/x86_64-linux-gnu/libdl.so.2; do
    install -D -m 755 %{from}/$file %{buildroot}/$file
done
%files
/bin/sh
/lib64/*
/lib/x86_64-linux-gnu/*
";

pub fn check(place: &Place) -> Result<(), String> {
    let root = place.clean_root("rpm")?;
    let repository = place.work.join("repository");
    recreate(&repository)?;
    let package = repository.join("fathom.rpm");
    copy(&place.artifact(".rpm")?, &package)?;
    index(&repository)?;
    // Without the library, dnf has to refuse the package.
    if dnf(&root, &repository, "install").is_ok() {
        return Err("the package was installed without a C library".to_owned());
    }
    system_package(place, &root, &repository)?;
    index(&repository)?;
    dnf(&root, &repository, "install")?;
    in_root(&root, FIRST_STEPS)?;
    dnf(&root, &repository, "remove")?;
    in_root(&root, &format!("{REMOVED} && test -x /usr/bin/fio"))
}

/// Adds the package of the root's libraries to the repository.
fn system_package(place: &Place, root: &Path, repository: &Path) -> Result<(), String> {
    let spec = place.work.join("root-libraries.spec");
    write(&spec, SYSTEM)?;
    let define = |name: &str, value: &Path| format!("{name} {}", value.display());
    let mut build = Command::new("rpmbuild");
    build.args(["-bb", "--quiet", "--define", &define("_topdir", &place.work.join("rpmbuild"))]);
    build.args(["--define", &define("_rpmdir", repository), "--define", &define("from", root)]);
    // The libraries are as Debian stripped them.
    output(build.args(["--define", "debug_package %{nil}", "--define", "__strip /bin/true"]).arg(&spec)).map(|_| ())
}

fn index(repository: &Path) -> Result<(), String> {
    output(Command::new("createrepo_c").arg("--quiet").arg(repository)).map(|_| ())
}

/// Installs or removes the package, with dependencies of the repository only.
fn dnf(root: &Path, repository: &Path, action: &str) -> Result<(), String> {
    let mut dnf = Command::new("dnf");
    dnf.args(["--quiet", "--assumeyes", "--nogpgcheck", "--releasever=12", "--setopt=reposdir=/nonexistent"]);
    // The package of the libraries stays when nothing needs it.
    dnf.args(["--setopt=clean_requirements_on_remove=0", "--setopt=metadata_expire=0"])
        .arg(format!("--installroot={}", root.display()));
    dnf.arg(format!("--repofrompath=fathom,file://{}", repository.display()));
    output(dnf.args(["--repo=fathom", action, "fathom-storage"])).map(|_| ())
}

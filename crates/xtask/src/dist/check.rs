//! `cargo xtask dist --check`: installs the packages in roots of their own and uses them as a user does. Needs root.

mod rpm;
mod windows;

use std::path::{Path, PathBuf};
use std::process::Command;

use super::files::{VERSION, copy, entries, name_of, output, recreate, text};

/// Debian packages of the clean root, which is Debian 12. The real fio is there before fathom, and Debian's package `fathom`,
/// which is another program.
const ROOT_PACKAGES: &str = "--include=man-db,bash-completion,zsh,fish,fio,fathom";

/// What a user does after the installation. Its output goes to the terminal.
const FIRST_STEPS: &str = r#"set -e
mkdir -p /srv/disk && cd /srv/disk
fathom assess --short --size 32m --no-history
man -P cat fathom-assess | grep -q -- --until-steady
bash -c 'source /usr/share/bash-completion/bash_completion; _completion_loader fathom; COMP_WORDS=(fathom ass); COMP_CWORD=1
_fathom fathom ass fathom; test "${COMPREPLY[*]}" = assess'
# Debian's zsh searches another folder than that of the .rpm.
zsh -f -c 'fpath+=(/usr/share/zsh/site-functions); autoload -U compinit; compinit -u -D; test $_comps[fathom] = _fathom
autoload +X _fathom'
fish -c 'complete -C "fathom ass"' | grep -q ^assess
fathom assess --suite /usr/share/fathom/suites/quick.toml --short --size 32m --test read-iops --no-history --quiet >/dev/null
test "$(readlink -f /usr/bin/fio)" = /usr/bin/fio && ! grep -q fathom /usr/bin/fio
test "$(readlink -f /usr/bin/diskspd)" = /usr/lib/fathom/bin/diskspd && man -P cat diskspd | grep -q fathom
diskspd -c1M -d1 -W0 -b4K target >/dev/null
PATH=/usr/lib/fathom/bin:$PATH
fio --name=a --ioengine=null --size=1m --record=fio.json >/dev/null && grep -q fathom fio.json
"#;

/// The name fio after the removal of the real one. Its package is known to dpkg only.
const WITHOUT_FIO: &str = "dpkg -r fio && update-alternatives --auto fio && fio --name=a --ioengine=null --size=1m";

/// Offers version 99 of the package beside those of Debian, and upgrades all packages as a user does.
const UPGRADE: &str = r#"set -e
mkdir /repository /newer && dpkg-deb --raw-extract /fathom.deb /newer
sed -i 's/^Version: .*/Version: 99/' /newer/DEBIAN/control
cd /repository && dpkg-deb --build /newer newer.deb >/dev/null
printf 'Filename: ./newer.deb\nSize: %s\nSHA256: %s\n' $(stat -c %s newer.deb) $(sha256sum newer.deb | cut -d' ' -f1) > Packages
dpkg-deb --field newer.deb >> Packages
echo 'deb [trusted=yes] file:/repository ./' > /etc/apt/sources.list.d/fathom.list
apt-get -qq -o Dir::Etc::SourceList=/etc/apt/sources.list.d/fathom.list -o Dir::Etc::SourceParts=/dev/null \
    -o APT::Get::List-Cleanup=0 update
# Debian's lists are there: its `fathom` would replace a package of this name.
apt-cache policy fathom | grep -q http
apt-get -qq --yes upgrade >/dev/null
test "$(dpkg-query --show --showformat '${Version}' fathom-storage)" = 99
"#;

/// Checks that the installation of both packages changes no file of either.
const BOTH: &str = r#"set -e
dpkg --verify fathom fathom-storage
dpkg --search /usr/games/fathom | grep -q '^fathom:'
dpkg --search /usr/bin/fathom | grep -q '^fathom-storage:'
man -w 6 fathom >/dev/null
# PATH of a user.
PATH=/usr/local/bin:/usr/bin:/bin:/usr/local/games:/usr/games
test "$(command -v fathom)" = /usr/bin/fathom
"#;

/// What must be absent after the removal of fathom.
const REMOVED: &str = "for name in bin/fathom lib/fathom share/fathom bin/diskspd share/man/man1/diskspd.1.gz; do ! test -L /usr/$name -o \
-e /usr/$name || { echo /usr/$name remains; exit 1; }; done";

/// A check with the programs that it needs.
struct Check {
    name: &'static str,
    needs: &'static [&'static str],
    run: fn(&Place) -> Result<(), String>,
}

const CHECKS: [Check; 6] = [
    Check { name: "checksums", needs: &["sha256sum"], run: checksums },
    Check { name: ".deb in a clean root", needs: &["mmdebstrap", "unshare"], run: deb },
    Check { name: ".rpm in a clean root", needs: &rpm::NEEDS, run: rpm::check },
    Check { name: "container images", needs: &["skopeo", "umoci", "qemu-aarch64"], run: images },
    Check { name: "archive for Windows under wine", needs: &windows::NEEDS, run: archive_for_windows },
    Check { name: "deploy/ansible", needs: &["ansible-lint"], run: ansible },
];

struct Place {
    deploy: PathBuf,
    packages: PathBuf,
    work: PathBuf,
}

impl Place {
    /// Returns the artifacts with this suffix.
    fn artifacts(&self, suffix: &str) -> Result<Vec<PathBuf>, String> {
        let mut found = entries(&self.packages)?;
        found.retain(|path| name_of(path).is_some_and(|name| name.ends_with(suffix)));
        match found.is_empty() {
            true => Err(format!("no artifact *{suffix}: run `cargo xtask dist` first")),
            false => Ok(found),
        }
    }

    fn artifact(&self, suffix: &str) -> Result<PathBuf, String> {
        self.artifacts(suffix).map(|mut found| found.swap_remove(0))
    }

    /// Makes a copy of a minimal Debian system and returns its folder.
    fn clean_root(&self, name: &str) -> Result<PathBuf, String> {
        let base = self.work.join("debian.tar");
        if !base.exists() {
            let mut debian = Command::new("mmdebstrap");
            // apt in the root knows Debian's packages without a network.
            debian.args(["--quiet", "--variant=minbase", "--skip=cleanup/apt/lists", ROOT_PACKAGES, "bookworm"]);
            output(debian.arg(&base))?;
        }
        let folder = self.work.join(name);
        recreate(&folder)?;
        let mut unpack = Command::new("tar");
        // Device files come from the system that runs the check.
        unpack.args(["--exclude=./dev/*", "--extract", "--file"]).arg(&base).arg("--directory").arg(&folder);
        output(&mut unpack)?;
        Ok(folder)
    }
}

/// Runs all checks of the artifacts in `target/packages`.
///
/// # Errors
///
/// A check failed.
pub fn run(root: &Path) -> Result<(), String> {
    let place = Place {
        deploy: root.join("deploy"),
        packages: root.join("target/packages"),
        work: root.join("target/package-check"),
    };
    std::fs::create_dir_all(&place.work).map_err(|error| format!("{}: {error}", place.work.display()))?;
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    for check in &CHECKS {
        let missing = check.needs.iter().find(|program| !is_installed(program));
        if let Some(program) = missing {
            eprintln!("SKIPPED: {}: {program} is not installed", check.name);
            skipped += 1;
        } else if let Err(error) = (check.run)(&place) {
            eprintln!("FAILED: {}: {error}", check.name);
            failed += 1;
        } else {
            eprintln!("passed: {}", check.name);
            passed += 1;
        }
    }
    println!("{passed} passed, {failed} failed, {skipped} skipped");
    if failed > 0 { Err(format!("{failed} checks of the packages failed")) } else { Ok(()) }
}

fn is_installed(program: &str) -> bool {
    Command::new("which").arg(program).output().is_ok_and(|output| output.status.success())
}

fn checksums(place: &Place) -> Result<(), String> {
    output(Command::new("sha256sum").args(["--check", "--strict", "SHA256SUMS"]).current_dir(&place.packages))
        .map(|_| ())
}

fn deb(place: &Place) -> Result<(), String> {
    let root = place.clean_root("deb")?;
    copy(&place.artifact(".deb")?, &root.join("fathom.deb"))?;
    in_root(&root, "apt-get -qq --yes install /fathom.deb >/dev/null")?;
    for steps in [BOTH, FIRST_STEPS, UPGRADE, BOTH] {
        in_root(&root, steps)?;
    }
    in_root(&root, &format!("cp -a /usr/bin/fio /real && {WITHOUT_FIO} && rm /usr/bin/fio && mv /real /usr/bin/fio"))?;
    in_root(&root, &format!("dpkg -r fathom-storage && {REMOVED} && test -x /usr/bin/fio && dpkg --verify fathom"))
}

fn archive_for_windows(place: &Place) -> Result<(), String> {
    windows::check(&place.artifact("-windows.zip")?, &place.work)
}

/// Runs a script in a root.
fn in_root(root: &Path, script: &str) -> Result<(), String> {
    let environment = ["env", "-i", "HOME=/root", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C.UTF-8"];
    chroot(root, &[&environment[..], &["sh", "-c", script]].concat())
}

/// Runs a command in a root with the kernel's file systems. They are unmounted with the name space.
fn chroot(root: &Path, command: &[&str]) -> Result<(), String> {
    let mount = r#"set -e
cd "$0" && mkdir -p proc sys dev && mount -t proc proc proc && mount --rbind /sys sys && mount --rbind /dev dev
exec chroot . "$@""#;
    let mut unshare = Command::new("unshare");
    unshare.args(["--mount", "--fork", "sh", "-c", mount]).arg(root).args(command);
    let status = unshare.status().map_err(|error| format!("unshare: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{status} in {}: {command:?}", root.display())) }
}

/// Reads the images with another program, unpacks them and runs fathom in them.
fn images(place: &Place) -> Result<(), String> {
    for archive in place.artifacts(".oci.tar")? {
        let facts = text(Command::new("skopeo").arg("inspect").arg(format!("oci-archive:{}", archive.display())))?;
        let is_arm = name_of(&archive).is_some_and(|name| name.contains("arm64"));
        let architecture = if is_arm { "\"Architecture\": \"arm64\"" } else { "\"Architecture\": \"amd64\"" };
        if !facts.contains(architecture) {
            return Err(format!("{}: no {architecture} in {facts}", archive.display()));
        }
        let work = place.work.join(if is_arm { "arm64" } else { "amd64" });
        recreate(&work.join("image"))?;
        output(
            Command::new("tar").arg("--extract").arg("--file").arg(&archive).arg("--directory").arg(work.join("image")),
        )?;
        let image = format!("{}:{VERSION}", work.join("image").display());
        let _ = std::fs::remove_dir_all(work.join("bundle"));
        output(Command::new("umoci").args(["unpack", "--image", &image]).arg(work.join("bundle")))?;
        runs_in(&work.join("bundle/rootfs"), is_arm)?;
    }
    Ok(())
}

fn runs_in(root: &Path, is_arm: bool) -> Result<(), String> {
    if !is_arm {
        return chroot(root, &["/usr/bin/fathom", "assess", "/data", "--short", "--size", "32m", "--no-history"]);
    }
    let version = text(Command::new("qemu-aarch64").arg(root.join("usr/bin/fathom")).arg("--version"))?;
    if version.trim() == format!("fathom {VERSION}") { Ok(()) } else { Err(format!("version {version}")) }
}

fn ansible(place: &Place) -> Result<(), String> {
    let mut lint = Command::new("ansible-lint");
    lint.args(["--offline", "--profile", "production", "-q"]).current_dir(place.deploy.join("ansible"));
    output(&mut lint).map(|_| ())
}

//! `ioengine=mtd`: targets that are not raw flash. The test machines have no raw flash. The unit tests of `os` and
//! `engine` cover the division into erase blocks, the sizes and the uses.

use crate::stage::{Scratch, run};

#[test]
fn only_raw_flash_is_a_target() {
    let scratch = Scratch::new("mtd");
    scratch.filled("f", 64 << 10);
    let before = std::fs::read(scratch.file("f")).unwrap();
    for rw in ["read", "write", "trim", "trimwrite"] {
        for (target, message) in [
            ("f", "only works with raw flash (/dev/mtdN)"),
            ("/dev/null", "only works with raw flash (/dev/mtdN)"),
            ("new", "No such file or directory"),
        ] {
            let job = format!("--name=a --ioengine=mtd --skip_bad=1 --filename={target} --size=64k --rw={rw}");
            run(scratch.path(), &job).ended_with(1).complained_of(message);
        }
    }
    assert!(!scratch.file("new").exists());
    assert!(std::fs::read(scratch.file("f")).unwrap() == before, "the file was changed");
}

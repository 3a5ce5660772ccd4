//! A panic while the full-screen view owns the terminal. The test runs itself in a terminal.

use std::io::Read;

use pty_process::Size;
use pty_process::blocking::{Command, open};

/// Set in the process that panics.
const PANICS: &str = "FATHOM_TEST_PANICS";

#[test]
fn a_panic_restores_the_terminal_before_its_message() {
    if std::env::var_os(PANICS).is_some() {
        let _screen = live::Screen::open().unwrap();
        let panics = std::thread::spawn(|| panic!("of a thread that does not draw"));
        assert!(panics.join().is_err());
        return;
    }
    let (mut pty, pts) = open().unwrap();
    pty.resize(Size::new(24, 80)).unwrap();
    let test = "a_panic_restores_the_terminal_before_its_message";
    let command = Command::new(std::env::current_exe().unwrap()).args(["--exact", test, "--nocapture"]);
    let mut child = command.env(PANICS, "1").env("TERM", "xterm-256color").spawn(pts).unwrap();
    let mut parser = vt100::Parser::new(24, 80, 0);
    let (mut bytes, mut was_alternate) = ([0; 1024], false);
    // The read fails once the process has ended.
    while let Ok(count) = pty.read(&mut bytes) {
        for byte in &bytes[..count] {
            parser.process(&[*byte]);
            was_alternate |= parser.screen().alternate_screen();
        }
    }
    assert!(child.wait().unwrap().success());
    let screen = parser.screen();
    assert!(was_alternate && !screen.alternate_screen() && !screen.hide_cursor(), "{}", screen.contents());
    assert!(screen.contents().contains("of a thread that does not draw"), "{}", screen.contents());
}

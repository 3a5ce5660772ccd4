//! The terminal of the full-screen view. It is restored at every end of the process that code can notice.

use std::io::{self, Stderr, Write};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, Once, PoisonError, TryLockError};
use std::time::Duration;

use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::{Hide, Show};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode, size,
};

use super::job_control;

/// The full-screen view owns the terminal.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);
/// Held while the terminal is written.
static WRITING: Mutex<()> = Mutex::new(());

/// The terminal in raw mode, with the alternate screen. It is restored on drop.
pub struct FullScreen {
    terminal: Terminal<CrosstermBackend<Stderr>>,
    /// Columns and lines when it was last drawn.
    size: (u16, u16),
    /// Other text may be on the screen.
    is_stale: bool,
}

impl FullScreen {
    /// Takes the terminal.
    ///
    /// # Errors
    /// There is no terminal, or it cannot be set.
    pub fn take() -> io::Result<Self> {
        restore_on_panic();
        enter()?;
        let terminal = Terminal::new(CrosstermBackend::new(io::stderr())).inspect_err(|_| restore())?;
        Ok(FullScreen { terminal, size: (0, 0), is_stale: true })
    }

    /// Draws unless the terminal was given back.
    ///
    /// # Errors
    /// The terminal cannot be written.
    pub fn draw(&mut self, render: impl FnOnce(&mut ratatui::Frame)) -> io::Result<()> {
        let _writing = writing();
        if !IS_TAKEN.load(SeqCst) {
            return Ok(());
        }
        let size = size()?;
        if self.is_stale || size != self.size {
            // `Terminal::clear` would ask the terminal for its cursor and wait for the answer.
            execute!(io::stderr(), Clear(ClearType::All))?;
            self.terminal = Terminal::new(CrosstermBackend::new(io::stderr()))?;
            (self.is_stale, self.size) = (false, size);
        }
        self.terminal.draw(render).map(drop)
    }

    /// Draws all of the screen the next time. Another program has written to it.
    pub fn redraw(&mut self) {
        self.is_stale = true;
    }

    /// Gives the terminal back, stops the process as SIGTSTP does, and takes the terminal when it continues.
    ///
    /// # Errors
    /// The terminal cannot be set.
    pub fn suspend(&mut self) -> io::Result<()> {
        restore();
        job_control::suspend()?;
        self.redraw();
        enter()
    }
}

impl Drop for FullScreen {
    fn drop(&mut self) {
        restore();
    }
}

fn enter() -> io::Result<()> {
    enable_raw_mode()?;
    IS_TAKEN.store(true, SeqCst);
    execute!(io::stderr(), EnterAlternateScreen, Hide).inspect_err(|_| restore())
}

/// Restores the terminal, once.
fn restore() {
    // A panic can come from code that writes.
    let mut tries = 0..20;
    let _writing = loop {
        match WRITING.try_lock() {
            Ok(guard) => break Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => break Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) if tries.next().is_none() => break None,
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(10)),
        }
    };
    if IS_TAKEN.swap(false, SeqCst) {
        // Without a terminal there is nothing to restore.
        let _ = execute!(io::stderr(), LeaveAlternateScreen, Show);
        let _ = disable_raw_mode();
        let _ = io::stderr().flush();
    }
}

fn writing() -> MutexGuard<'static, ()> {
    WRITING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes a panic restore the terminal before it prints its message.
fn restore_on_panic() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let earlier = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            restore();
            earlier(info);
        }));
    });
}

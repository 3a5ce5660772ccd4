//! `fathom capture`: records the I/Os of a disk, and shows them.

use std::path::Path;

use ::capture::{End, Figures};

use crate::args::capture::{Action, Args, Format, ShowArgs};
use app::capture::{Capture, Request};
use app::command_error::CommandError;
use app::live_views::LiveOptions;
use app::output::{print_text, stderr_line};
use app::terminal::ink;
use app::{atomic_file, capture, exit, signals};
use report::capture as render;
use targets::OutputGuard;
use units::shell::quoted;

/// Records I/Os, or shows a file.
///
/// # Errors
/// The target cannot be captured, or the file cannot be read.
pub fn main(args: &Args) -> Result<u8, CommandError> {
    match (&args.action, &args.target) {
        (Some(Action::Show(args)), _) => show(args),
        (Some(Action::Job { file }), _) => job(file),
        (None, Some(target)) => record(args, target),
        (None, None) => Err("TARGET is missing".into()),
    }
}

fn show(args: &ShowArgs) -> Result<u8, CommandError> {
    let figures = capture::load(&args.file)?;
    if let Some(path) = &args.output {
        atomic_file::write(Path::new(path), report::capture_page(&figures).as_bytes(), &mut OutputGuard::new([]))?;
        stderr_line!("saved: {path}");
        return Ok(with_verdict(exit::DONE, &figures));
    }
    let text = match args.format {
        Format::Text => render::text(&figures, ink()),
        Format::Json => render::json(&figures).map_err(|error| format!("{}: {error}", args.file))?,
    };
    Ok(with_verdict(print_text(&text), &figures))
}

fn job(file: &str) -> Result<u8, CommandError> {
    let figures = capture::load(file)?;
    if !figures.has_load() {
        return Err(format!("{file} has no reads, writes or discards").into());
    }
    Ok(with_verdict(print_text(&report::capture_job(&figures)), &figures))
}

fn record(args: &Args, target: &str) -> Result<u8, CommandError> {
    let live = LiveOptions { has_line: !args.quiet, watches: args.watch, metrics: None };
    live.check("--watch")?;
    let request = Request {
        target: target.to_owned(),
        on: args.on.clone(),
        time: args.time,
        file: args.output.clone(),
        has_names: args.names,
        live,
    };
    // Signals first: from here on the kernel traces.
    let interrupts = signals::install()?;
    let capture = Capture::start(&request)?;
    let path = capture.path().display().to_string();
    if !args.quiet && args.time.is_none() {
        stderr_line!("capturing {} until Ctrl-C{}", capture.name(), if capture.can_end() { " or its end" } else { "" });
    }
    let figures = match capture.run(&request, interrupts) {
        Ok(figures) => figures,
        Err(error) => {
            stderr_line!("error: {error}");
            return Ok(exit::FAILED);
        }
    };
    if figures.end == End::Exit {
        stderr_line!("note: {} has ended", figures.capture.target);
    }
    let code = with_verdict(print_text(&render::text(&figures, ink())), &figures);
    if !args.quiet {
        let file = quoted(&path);
        stderr_line!(
            "saved in {path}; `fathom capture show {file}` shows it again, `fathom assess TARGET --like {file}` replays it"
        );
    }
    // Without a time, a signal is the usual end.
    let signal = interrupts.last().filter(|_| args.time.is_some());
    Ok(signal.and_then(exit::of_signal).unwrap_or(code))
}

/// Returns the exit code of a report that was printed with a code.
fn with_verdict(printed: u8, figures: &Figures) -> u8 {
    if printed == exit::DONE && !figures.is_conclusive { exit::INCONCLUSIVE } else { printed }
}

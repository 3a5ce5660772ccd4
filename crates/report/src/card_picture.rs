//! The card as a picture to share: the answer, the thresholds or figures, the target and the machine.
//!
//! It has the proportions that chat programs use for previews, and few large texts.

use assessment::{Aim, Assessment, Severity, Target, Verdict};
use units::format;
use units::markup::escaped;

use crate::answer;
use crate::chart::colours::light;
use crate::chart::main_unit;
use crate::findings::worst_first;
use crate::grid;
use crate::key_figures::{self, KeyFigures, Span};
use crate::lettering::Lettering;
use crate::png::{self, PngError};
use crate::study::Ink;
use crate::text::{NONE, class, local_time, plain, sentence, target_name};
use crate::thresholds::{self, Check, CheckOf};

/// Size in units. The PNG has two pixels per unit.
const WIDTH: f32 = 600.0;
const HEIGHT: f32 = 315.0;
const LEFT: f32 = 28.0;
const RIGHT: f32 = 20.0;
const ANSWER_SIZE: f32 = 17.0;
const ANSWER_LINES: usize = 3;
/// With figures of at most this height, the answer can have one line more.
const ROWS_FEW: f32 = 80.0;
const ROW_SIZE: f32 = 13.0;
const ROW_HEIGHT: f32 = 20.0;
/// Width of a sign and the space after it.
const MARK_WIDTH: f32 = 20.0;
const FOOTER_SIZE: f32 = 11.0;
/// Figures of tests, side by side: their columns, and the height of one.
const TILES: usize = 4;
const TILE_HEIGHT: f32 = 45.0;
/// Baselines of the two lines of the footer.
const FOOTER: [f32; 2] = [285.0, 302.0];

/// A row below the answer.
struct Row {
    mark: Option<Verdict>,
    name: String,
    /// Right-aligned cells.
    cells: Vec<String>,
}

/// The main figure of a test, and another one.
struct Tile {
    name: String,
    figure: String,
    other: String,
}

/// A table below the answer.
struct Rows {
    heads: Vec<String>,
    rows: Vec<Row>,
}

impl Rows {
    fn has_heads(&self) -> bool {
        self.heads.iter().any(|head| !head.is_empty())
    }
}

/// Returns the picture as an SVG document.
///
/// # Errors
///
/// [`PngError`] if the built-in font is not valid.
pub fn card_svg(assessment: &Assessment) -> Result<String, PngError> {
    let mut picture =
        Picture { lettering: Lettering::new().map_err(PngError::Font)?, body: String::new(), end: FOOTER[0] - 22.0 };
    let edge = if assessment.verdict == Verdict::Measured { "rule" } else { class(assessment.verdict) };
    picture.body += &format!("<rect width=\"8\" height=\"{HEIGHT}\" fill=\"{}\"/>", light(edge));
    let checks = thresholds::beside_the_sentence(assessment);
    let (applications, checks): (Vec<Check>, Vec<Check>) =
        checks.into_iter().partition(|check| check.of == CheckOf::Application);
    let grid = grid_rows(assessment);
    let tiles = if grid.is_some() { Vec::new() } else { tiles(assessment) };
    let rows = checks.len() + grid.as_ref().map_or(0, |grid| grid.rows.len() + 1);
    let height = rows as f32 * ROW_HEIGHT + tiles.len().div_ceil(TILES).min(2) as f32 * TILE_HEIGHT;
    picture.warning(assessment);
    let lines = ANSWER_LINES + usize::from(height <= ROWS_FEW);
    let below = picture.answer(assessment, lines);
    let below = picture.applications(&applications, below);
    let checks = Rows { heads: vec![String::new(); 2], rows: checks.iter().map(checked).collect() };
    let below = picture.table(&checks, below + 12.0);
    match grid {
        Some(grid) => drop(picture.table(&grid, below)),
        None => picture.tiles(&tiles, if checks.rows.is_empty() { below } else { below + 8.0 }),
    }
    picture.footer(assessment);
    let title =
        escaped(&format!("{}: {} on {}", assessment.verdict, assessment.suite, target_name(&assessment.target)));
    Ok(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{HEIGHT}\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"Noto Sans,system-ui,Segoe UI,Roboto,Arial,sans-serif\" role=\"img\"><title>{title}</title>\
         <desc>{}</desc><rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"{}\"/>{}</svg>\n",
        escaped(&answer::sentence(assessment)),
        light("ground"),
        picture.body
    ))
}

/// Returns the picture as a PNG image.
///
/// # Errors
///
/// See [`PngError`].
pub fn card_png(assessment: &Assessment) -> Result<Vec<u8>, PngError> {
    png::of_svg(&card_svg(assessment)?)
}

/// Returns the colours of the text and the ground of a verdict, as on the page.
fn badge_colours(verdict: Verdict) -> (&'static str, &'static str) {
    match verdict {
        Verdict::Measured => (light("ink"), light("ground")),
        other => (light(class(other)), light(&format!("{}-ground", class(other)))),
    }
}

struct Picture {
    lettering: Lettering,
    body: String,
    /// The lower end of figures.
    end: f32,
}

impl Picture {
    fn text(&mut self, (x, y): (f32, f32), size: f32, is_bold: bool, anchor: &str, fill: &str, text: &str) {
        let weight = if is_bold { " font-weight=\"700\"" } else { "" };
        self.body += &format!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\"{weight} fill=\"{fill}\" text-anchor=\"{anchor}\">{}</text>",
            escaped(text)
        );
    }

    /// Cuts a text to a width, between words if it has several, with an ellipsis at the end.
    fn fitted(&self, text: &str, size: f32, is_bold: bool, width: f32) -> String {
        if self.lettering.width(text, size, is_bold) <= width {
            return text.to_owned();
        }
        let room = width - self.lettering.width(" …", size, is_bold);
        let cut = self.lettering.fitting(text, size, is_bold, room);
        let whole =
            if text[cut.len()..].starts_with(' ') { Some(cut) } else { cut.rsplit_once(' ').map(|(words, _)| words) };
        let cut = whole.unwrap_or(cut).trim_end_matches([' ', ',', ';', ':', '(', '·']);
        if room < 0.0 { String::new() } else { format!("{cut} …") }
    }

    /// Wraps a text. If it is too long, its last clauses are left out, else its last words.
    fn whole_clauses(&self, text: &str, size: f32, width: f32, lines_most: usize) -> Vec<String> {
        let ends = text
            .match_indices([';', ','])
            .map(|(at, _)| at)
            .filter(|at| text[..*at].matches('(').count() == text[..*at].matches(')').count());
        let ends: Vec<usize> = ends.chain([text.len()]).collect();
        let wrapped = |end: &usize| self.wrapped(&text[..*end], size, true, width, lines_most);
        let is_whole = |lines: &Vec<String>| !lines.last().is_some_and(|line| line.ends_with('…'));
        ends.iter().rev().map(wrapped).find(is_whole).unwrap_or_else(|| wrapped(&text.len()))
    }

    /// Wraps a text between words. The last line is cut.
    fn wrapped(&self, text: &str, size: f32, is_bold: bool, width: f32, lines_most: usize) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        let mut line = String::new();
        for word in text.split_whitespace() {
            let longer = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
            let is_full = !line.is_empty() && self.lettering.width(&longer, size, is_bold) > width;
            if is_full && lines.len() + 1 < lines_most {
                lines.push(std::mem::replace(&mut line, word.to_owned()));
            } else {
                line = longer;
            }
        }
        lines.push(line);
        lines.into_iter().map(|line| self.fitted(&line, size, is_bold, width)).collect()
    }

    /// Draws the verdict, the title, the answer and the limits of the machine. Returns the lower end.
    fn answer(&mut self, assessment: &Assessment, lines: usize) -> f32 {
        let verdict = assessment.verdict.to_string();
        let badge = self.lettering.width(&verdict, ANSWER_SIZE, true) + 20.0;
        let (ink, ground) = badge_colours(assessment.verdict);
        self.body += &format!(
            "<rect x=\"{LEFT}\" y=\"18\" width=\"{badge:.1}\" height=\"28\" rx=\"5\" fill=\"{ground}\" stroke=\"{ink}\"/>"
        );
        self.text((LEFT + 10.0, 38.0), ANSWER_SIZE, true, "start", ink, &verdict);
        let room = WIDTH - LEFT - RIGHT;
        let title = plain(&format!("{} on {}", assessment.suite, target_name(&assessment.target)));
        let title = self.fitted(&title, ROW_SIZE, false, room - badge - 12.0);
        self.text((LEFT + badge + 12.0, 37.0), ROW_SIZE, false, "start", light("soft"), &title);
        let answer = plain(&sentence(&answer::sentence(assessment)));
        let mut baseline = 72.0;
        for line in self.whole_clauses(&answer, ANSWER_SIZE, room, lines) {
            self.text((LEFT, baseline), ANSWER_SIZE, true, "start", light("ink"), &line);
            baseline += 23.0;
        }
        let Some(limits) = answer::machine(assessment) else { return baseline - 23.0 };
        let limits = self.fitted(&plain(&sentence(&limits)), ROW_SIZE, false, room);
        self.text((LEFT, baseline - 3.0), ROW_SIZE, false, "start", light("soft"), &limits);
        baseline - 3.0
    }

    /// Draws the applications in one line, each with its sign and its ratio. Those that do not fit are counted. Returns the
    /// lower end.
    fn applications(&mut self, applications: &[Check], top: f32) -> f32 {
        if applications.is_empty() {
            return top;
        }
        let baseline = top + ROW_HEIGHT + 4.0;
        let mut left = LEFT;
        let lead = "Figure / requirement:";
        self.text((left, baseline), ROW_SIZE, false, "start", light("soft"), lead);
        left += self.lettering.width(lead, ROW_SIZE, false) + 10.0;
        for (at, check) in applications.iter().enumerate() {
            let ratio = check.compared.map(|compared| compared.ratio()).unwrap_or_default();
            let item = plain(format!("{} {ratio}", check.name).trim_end());
            let width = self.lettering.width(&item, ROW_SIZE, false) + MARK_WIDTH;
            let rest = format!("… {} more", applications.len() - at);
            let is_last = at + 1 == applications.len();
            let reserved = if is_last { 0.0 } else { self.lettering.width(&rest, ROW_SIZE, false) + 10.0 };
            if left + width + reserved > WIDTH - RIGHT {
                self.text((left, baseline), ROW_SIZE, false, "start", light("soft"), &rest);
                break;
            }
            self.mark(check.verdict, (left, baseline));
            self.text((left + MARK_WIDTH, baseline), ROW_SIZE, false, "start", light("ink"), &item);
            left += width + 12.0;
        }
        baseline
    }

    /// Returns the number of rows that fit below a line.
    fn room(&self, table: &Rows, top: f32) -> usize {
        let rows = ((self.end - top) / ROW_HEIGHT).floor().max(0.0) as usize;
        rows.saturating_sub(usize::from(table.has_heads()))
    }

    /// Draws a table below a line; rows that do not fit are counted. Returns the lower end.
    fn table(&mut self, table: &Rows, top: f32) -> f32 {
        if table.rows.is_empty() {
            return top;
        }
        let room = self.room(table, top).max(1);
        let has_heads = table.has_heads();
        let shown = if table.rows.len() > room { room.saturating_sub(1).max(1) } else { table.rows.len() };
        let columns = self.columns(table, shown);
        let mut baseline = top + ROW_HEIGHT - 4.0;
        if has_heads {
            for (head, right) in table.heads.iter().zip(&columns) {
                self.text((*right, baseline), FOOTER_SIZE, false, "end", light("soft"), head);
            }
            baseline += ROW_HEIGHT - 2.0;
        }
        let first = columns.first().zip(self.widths(table, shown).first().copied());
        let names_end = first.map_or(WIDTH - RIGHT, |(right, width)| right - width - 14.0);
        for row in &table.rows[..shown] {
            let left = LEFT + if row.mark.is_some() { MARK_WIDTH } else { 0.0 };
            if let Some(verdict) = row.mark {
                self.mark(verdict, (LEFT, baseline));
            }
            let end = if row.cells.is_empty() { WIDTH - RIGHT } else { names_end };
            let name = self.fitted(&row.name, ROW_SIZE, false, end - left);
            self.text((left, baseline), ROW_SIZE, false, "start", light("ink"), &name);
            for (at, (cell, right)) in row.cells.iter().zip(&columns).enumerate() {
                self.text((*right, baseline), ROW_SIZE, at == 0, "end", light("ink"), cell);
            }
            baseline += ROW_HEIGHT;
        }
        let more = table.rows.len() - shown;
        if more > 0 {
            self.text((LEFT, baseline), FOOTER_SIZE, false, "start", light("soft"), &format!("… {more} more"));
            baseline += ROW_HEIGHT;
        }
        baseline - ROW_HEIGHT + 4.0
    }

    /// Draws figures side by side below a line. Those that do not fit are counted.
    fn tiles(&mut self, tiles: &[Tile], top: f32) {
        let columns = tiles.len().clamp(1, TILES);
        let room = ((self.end - top) / TILE_HEIGHT).floor().max(0.0) as usize * columns;
        let shown = if tiles.len() > room { room.saturating_sub(1) } else { tiles.len() };
        let width = (WIDTH - LEFT - RIGHT) / columns as f32;
        for (at, tile) in tiles.iter().take(shown).enumerate() {
            let x = LEFT + (at % columns) as f32 * width;
            let y = top + (at / columns) as f32 * TILE_HEIGHT;
            for (text, size, is_bold, colour, below) in [
                (&tile.name, FOOTER_SIZE, false, "soft", 12.0),
                (&tile.figure, ANSWER_SIZE, true, "ink", 28.0),
                (&tile.other, FOOTER_SIZE, false, "soft", 40.0),
            ] {
                let text = self.fitted(text, size, is_bold, width - 6.0);
                self.text((x, y + below), size, is_bold, "start", light(colour), &text);
            }
        }
        if shown > 0 && shown < tiles.len() {
            let (column, row) = ((shown % columns) as f32, (shown / columns) as f32);
            let (x, y) = (LEFT + column * width, top + row * TILE_HEIGHT + 28.0);
            let more = format!("… {} more", tiles.len() - shown);
            self.text((x, y), FOOTER_SIZE, false, "start", light("soft"), &more);
        }
    }

    /// Draws the worst warning above the footer.
    fn warning(&mut self, assessment: &Assessment) {
        let all = worst_first(assessment);
        let mut warnings = all.iter().filter(|found| found.severity != Severity::Info);
        let Some(first) = warnings.next() else { return };
        let more = match warnings.count() {
            0 => String::new(),
            others => format!(" (1 of {} warnings)", others + 1),
        };
        let room = WIDTH - LEFT - RIGHT - self.lettering.width(&more, FOOTER_SIZE, false);
        let text = plain(&format!("{}: {}", first.severity.name(), first.headline));
        let text = self.fitted(&text, FOOTER_SIZE, false, room) + &more;
        self.end -= 18.0;
        let colour = if first.severity == Severity::Invalid { "invalid" } else { "inconclusive" };
        self.text((LEFT, FOOTER[0] - 23.0), FOOTER_SIZE, false, "start", light(colour), &text);
    }

    fn widths(&self, table: &Rows, shown: usize) -> Vec<f32> {
        let cell =
            |row: &Row, at: usize| row.cells.get(at).map_or(0.0, |cell| self.lettering.width(cell, ROW_SIZE, at == 0));
        let head = |at: usize| self.lettering.width(&table.heads[at], FOOTER_SIZE, false);
        (0..table.heads.len())
            .map(|at| table.rows[..shown].iter().map(|row| cell(row, at)).fold(head(at), f32::max))
            .collect()
    }

    /// Returns the right ends of the columns.
    fn columns(&self, table: &Rows, shown: usize) -> Vec<f32> {
        let mut right = WIDTH - RIGHT;
        let mut ends: Vec<f32> = Vec::new();
        for width in self.widths(table, shown).iter().rev() {
            ends.push(right);
            right -= width + 14.0;
        }
        ends.reverse();
        ends
    }

    /// Draws the sign of a verdict: the font has no check mark.
    fn mark(&mut self, verdict: Verdict, (x, baseline): (f32, f32)) {
        let y = baseline - 9.0;
        let path = match verdict {
            Verdict::Pass => format!("M{x} {:.1}l4 4l8 -9", y + 5.0),
            Verdict::Fail => format!("M{:.1} {y:.1}l9 9m0 -9l-9 9", x + 1.0),
            _ => {
                let mark = thresholds::mark(verdict, Ink::Unicode);
                return self.text((x + 2.0, baseline), ROW_SIZE + 1.0, true, "start", badge_colours(verdict).0, mark);
            }
        };
        self.body += &format!(
            "<path d=\"{path}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2.4\" stroke-linecap=\"round\" \
             stroke-linejoin=\"round\"/>",
            badge_colours(verdict).0
        );
    }

    fn footer(&mut self, assessment: &Assessment) {
        let y = FOOTER[0] - 16.0;
        self.body += &format!("<path d=\"M{LEFT} {y}H{}\" stroke=\"{}\"/>", WIDTH - RIGHT, light("rule"));
        let when = local_time(assessment.started_unix_ms, assessment.utc_offset_s);
        let made = format!("{when} · fathom {}", assessment.fathom);
        let width = self.lettering.width(&made, FOOTER_SIZE, false);
        let room = WIDTH - LEFT - RIGHT;
        let target = self.fitted(&target(&assessment.target), FOOTER_SIZE, false, room);
        self.text((LEFT, FOOTER[0]), FOOTER_SIZE, false, "start", light("soft"), &target);
        let machine = self.fitted(&machine(assessment), FOOTER_SIZE, false, room - width - 12.0);
        self.text((LEFT, FOOTER[1]), FOOTER_SIZE, false, "start", light("soft"), &machine);
        self.text((WIDTH - RIGHT, FOOTER[1]), FOOTER_SIZE, false, "end", light("soft"), &made);
    }
}

/// Returns the path, the devices and their models and sizes.
fn target(target: &Target) -> String {
    let mut parts = vec![target_name(target)];
    for device in &target.devices {
        let size = if device.size_bytes > 0 { format::size(device.size_bytes) } else { String::new() };
        let words = [device.name.to_string(), device.model.to_string(), size];
        let words: Vec<String> = words.into_iter().filter(|word| !word.is_empty()).collect();
        parts.push(words.join(" "));
    }
    parts.extend(target.mount.as_ref().map(|mount| mount.file_system.to_string()));
    plain(&parts.join(" · "))
}

fn machine(assessment: &Assessment) -> String {
    let machine = &assessment.machine;
    let parts = [&machine.hostname, &machine.model, &machine.kernel];
    let parts: Vec<String> = parts.into_iter().map(ToString::to_string).filter(|part| !part.is_empty()).collect();
    plain(&parts.join(" · "))
}

fn grid_rows(assessment: &Assessment) -> Option<Rows> {
    let grid = grid::of(assessment)?;
    let row = |(name, cells): &(String, Vec<Option<String>>)| Row {
        mark: None,
        name: plain(name),
        cells: cells.iter().map(|cell| cell.clone().unwrap_or_else(|| NONE.to_owned())).collect(),
    };
    let heads = grid.columns.iter().map(|head| format!("{head}, MB/s"));
    Some(Rows { heads: heads.collect(), rows: grid.rows.iter().map(row).collect() })
}

/// Returns the main figure of each test: of tests of latency p99, else the rate that describes the blocks best.
fn tiles(assessment: &Assessment) -> Vec<Tile> {
    let shown = |span: Option<Span>, unit| span.map(|span| span.shown(unit)).unwrap_or_default();
    let tile = |figures: &KeyFigures| {
        let unit = main_unit(figures);
        let rate = if unit == "IOPS" { shown(figures.iops, unit) } else { shown(figures.bytes_per_s, unit) };
        let p99 = shown(figures.latency_ns[1], "ns");
        let is_of_latency = matches!(assessment.tests[figures.test].aim, Aim::LatencyFloor | Aim::FlushLatency);
        let p99 = if p99.is_empty() { p99 } else { format!("p99 {p99}") };
        let is_first = rate.is_empty() || is_of_latency && !p99.is_empty();
        let (figure, other) = if is_first { (p99, rate) } else { (rate, p99) };
        Tile { name: plain(&figures.name), figure, other }
    };
    let all = key_figures::of(assessment);
    all.iter().map(tile).collect()
}

fn checked(check: &Check) -> Row {
    let (name, cells) = match &check.compared {
        None => (format!("{}: {}", check.name, check.cause), Vec::new()),
        Some(compared) => {
            let ratio = compared.ratio_and_tolerance();
            let ratio = if ratio.is_empty() { ratio } else { format!(": {ratio}") };
            let cells = vec![compared.measured(), plain(&(compared.signed_bound() + &ratio))];
            (format!("{}: {}", check.name, compared.figure()), cells)
        }
    };
    Row { mark: Some(check.verdict), name: plain(&name), cells }
}

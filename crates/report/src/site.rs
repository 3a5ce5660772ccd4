//! A static site of saved runs: an index, a page for each suite on each target, and a comparison of the disks.

use std::collections::BTreeSet;

use assessment::Verdict;
use maud::{Markup, Render, html};
use units::format::grouped;
use units::shell::quoted;

use crate::chart::disks;
use crate::free_name;
use crate::html::{badge, document, stack};
use crate::text::{NONE, file_name};
use crate::trend::{self, Trend, TrendSeries};

/// Name of the first page.
pub const INDEX: &str = "index.html";
/// The suite of `fathom assess` without `--suite`.
const DEFAULT_SUITE: &str = "quick";
const DISKS: &str = "disks.html";
/// Characters of a page's name that come from a suite, a host and a target.
const NAME_MAX: usize = 100;

/// Saved runs as a site. Each page is a file of one folder.
pub struct Site {
    /// The name of the page of each target.
    names: Vec<String>,
    targets: Vec<SiteTarget>,
}

/// The runs of one suite on one target.
pub struct SiteTarget {
    pub target: String,
    pub suite: String,
    pub host: String,
    pub device: String,
    /// The newest first.
    pub runs: Vec<SiteRun>,
    pub trend: Trend,
    /// The runs are of `fathom assess`.
    pub is_assessed: bool,
}

/// A line about a run.
pub struct SiteRun {
    pub id: i64,
    pub started: String,
    pub verdict: Option<Verdict>,
    pub is_stopped: bool,
    /// The workload, and the figures.
    pub result: String,
    /// The cause of the verdict.
    pub message: String,
    pub tags: String,
}

/// Returns the name of the page of a run.
pub fn run_page(id: i64) -> String {
    format!("run-{id}.html")
}

impl Site {
    pub fn new(targets: Vec<SiteTarget>) -> Site {
        let mut names: Vec<String> = Vec::new();
        for one in &targets {
            let words = file_name(&format!("{}-{}-{}", one.suite, one.host, one.target)).to_ascii_lowercase();
            let name = format!("runs-{}", words.chars().take(NAME_MAX).collect::<String>());
            names.push(free_name(name, |name| names.iter().any(|other| other == name)));
        }
        Site { names: names.into_iter().map(|name| name + ".html").collect(), targets }
    }

    /// Returns the names of all pages that the site can have, without the pages of runs.
    pub fn names(&self) -> impl Iterator<Item = String> {
        [INDEX, DISKS].map(str::to_owned).into_iter().chain(self.names.iter().cloned())
    }

    /// Returns each target with the name of its page.
    pub fn targets(&self) -> impl Iterator<Item = (&str, &SiteTarget)> {
        self.names.iter().map(String::as_str).zip(&self.targets)
    }

    /// Returns the name and the text of each page, without the pages of runs. `with_page` are the runs that have one.
    pub fn pages(&self, with_page: &BTreeSet<i64>) -> Vec<(String, String)> {
        let suites: BTreeSet<&str> = self.targets.iter().map(|one| one.suite.as_str()).collect();
        let compared: Vec<Compared> = suites.into_iter().filter_map(|suite| self.compared(suite)).collect();
        let links = |own: &str| links(own, !compared.is_empty());
        let mut pages = vec![(INDEX.to_owned(), self.index(&links(INDEX)))];
        pages.extend((!compared.is_empty()).then(|| (DISKS.to_owned(), disks_page(&links(DISKS), &compared))));
        pages.extend(self.targets().map(|(name, one)| (name.to_owned(), one.page(&links(name), with_page))));
        pages
    }

    fn index(&self, links: &Markup) -> String {
        let title = "Saved runs";
        let runs = self.targets.iter().map(|one| one.runs.len()).sum::<usize>();
        let columns = [
            ("Target", ""),
            ("Suite", ""),
            ("Host", ""),
            ("Device", ""),
            ("Runs", "num"),
            ("Newest", ""),
            ("Verdict", ""),
            ("Result", "cause"),
        ];
        let row = |(name, one): (&str, &SiteTarget)| {
            let mut cells = vec![html! { a href=(name) { (one.target) } }];
            cells.extend([&one.suite, &one.host, &one.device].map(Render::render));
            cells.push(grouped(one.runs.len() as f64).render());
            let newest = one.runs.first();
            cells.extend(
                newest.map(|run| [run.started.render(), run.verdict(), run.result.render()]).into_iter().flatten(),
            );
            cells
        };
        let header = html! { h1 { (title) } p.soft { (grouped(runs as f64)) " runs" } (links) };
        let main = html! { section id="targets" { (stack(&columns, self.targets().map(row))) } };
        document(title, &header, &main, env!("CARGO_PKG_VERSION"))
    }

    /// Returns the figures that several targets have of a suite; `None` without one.
    fn compared<'a>(&'a self, suite: &'a str) -> Option<Compared<'a>> {
        let targets: Vec<(&str, &SiteTarget)> = self.targets().filter(|(_, one)| one.suite == suite).collect();
        let mut figures: Vec<Vec<(&SiteTarget, &TrendSeries)>> = Vec::new();
        for (_, one) in &targets {
            for series in one.trend.newest() {
                match figures.iter_mut().find(|figure| figure[0].1.is_of(series.names(), series.metric)) {
                    Some(figure) => figure.push((*one, series)),
                    None => figures.push(vec![(*one, series)]),
                }
            }
        }
        figures.retain(|figure| figure.len() > 1);
        (!figures.is_empty()).then_some(Compared { suite, targets, figures })
    }
}

/// Formats the links to the pages about several targets.
fn links(own: &str, has_disks: bool) -> Markup {
    let pages = [(INDEX, "All targets"), (DISKS, "Comparison of targets")];
    let pages = pages.into_iter().filter(|(page, _)| *page != own && (has_disks || *page != DISKS));
    html! { nav aria-label="Site" { ul { @for (page, name) in pages { li { a href=(page) { (name) } } } } } }
}

/// A suite on several targets.
struct Compared<'a> {
    suite: &'a str,
    /// With the names of their pages.
    targets: Vec<(&'a str, &'a SiteTarget)>,
    /// The newest value of each target, by figure.
    figures: Vec<Vec<(&'a SiteTarget, &'a TrendSeries)>>,
}

fn disks_page(links: &Markup, compared: &[Compared]) -> String {
    let title = "Comparison of targets";
    let header = html! { h1 { (title) } p.soft { "The newest run of each target that is neither stopped nor INVALID." } (links) };
    let main = html! {
        @for (at, one) in compared.iter().enumerate() {
            section id={ "suite-" (at) } {
                h2 { (one.suite) }
                ul { @for (name, target) in &one.targets { li { a href=(name) { (target.name()) } " " span.soft { (target.device) } } } }
                div.charts.overview {
                    @for figure in &one.figures {
                        @let chart = figure_of_disks(one.suite, figure);
                        figure { figcaption { b { (chart.title) } } (chart.inline()) }
                    }
                }
            }
        }
    };
    document(title, &header, &main, env!("CARGO_PKG_VERSION"))
}

/// Draws a figure of several targets. What the job of a target has and others have not is in its name.
fn figure_of_disks(suite: &str, figure: &[(&SiteTarget, &TrendSeries)]) -> crate::Chart {
    let disk = |(one, series): &(&SiteTarget, &TrendSeries)| {
        let own = series.job.iter().filter(|part| !figure.iter().all(|(_, other)| other.job.contains(part)));
        let parts: Vec<&str> = own.map(String::as_str).collect();
        let parts = if parts.is_empty() { String::new() } else { format!(", {}", parts.join(", ")) };
        (one.name() + &parts, series.last())
    };
    let series = figure[0].1;
    let [what, test] = series.names();
    // The title of a suite has its name.
    let names = [what.strip_prefix(suite).unwrap_or(what).trim_start(), test].map(str::to_owned);
    let names = names.into_iter().chain([series.metric.to_string()]);
    let title: Vec<String> = names.filter(|part| !part.is_empty()).collect();
    disks::chart(&title.join(" "), series.metric, &figure.iter().map(disk).collect::<Vec<_>>())
}

impl SiteTarget {
    /// Returns the command that compares the target with published limits; `None` if a run has a verdict, and for several targets and
    /// other suites: their names can be those of files.
    fn next_command(&self) -> Option<String> {
        let is_open = self.is_assessed && self.runs.iter().all(|run| run.verdict == Some(Verdict::Measured));
        let is_path = self.target.starts_with('/') && !self.target.contains(['=', '\\']);
        (is_open && is_path && self.suite == DEFAULT_SUITE)
            .then(|| format!("fathom assess {} --expect LIMITS", quoted(&self.target)))
    }

    fn name(&self) -> String {
        if self.host.is_empty() { self.target.clone() } else { format!("{} on {}", self.target, self.host) }
    }

    fn page(&self, links: &Markup, with_page: &BTreeSet<i64>) -> String {
        let title = format!("{} on {}", self.suite, self.target);
        let columns =
            [("Run", ""), ("Started", ""), ("Verdict", ""), ("Result", "cause"), ("Cause", "cause"), ("Tags", "")];
        let row = |run: &SiteRun| {
            let id = html! {
                @if with_page.contains(&run.id) { a href=(run_page(run.id)) { (run.id) } } @else { (run.id) }
            };
            vec![id, run.started.render(), run.verdict(), run.result.render(), run.message.render(), run.tags.render()]
        };
        let facts = [&self.host, &self.device].into_iter().filter(|fact| !fact.is_empty());
        let facts = facts.map(String::as_str).collect::<Vec<_>>().join(", ");
        let header = html! { h1 { (title) } p.soft { (facts) } (links) };
        let main = html! {
            @if let Some(command) = self.next_command() {
                p { "For a verdict, measure with published limits (" code { "fathom limits list" } " has their names): " code { (command) } }
            }
            (trend::figures(&self.trend))
            section id="runs" { h2 { "Runs" } (stack(&columns, self.runs.iter().map(row))) }
        };
        document(&title, &header, &main, env!("CARGO_PKG_VERSION"))
    }
}

impl SiteRun {
    fn verdict(&self) -> Markup {
        html! {
            @if let Some(verdict) = self.verdict { (badge(verdict)) } @else { (NONE) }
            @if self.is_stopped { " stopped" }
        }
    }
}

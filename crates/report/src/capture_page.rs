//! The page of a capture: rates over time as charts, and the figures of the card.

use ::capture::Figures;
use maud::html;

use crate::capture;
use crate::chart::capture::charts;
use crate::html::{document, figure};
use crate::text::plain;

/// Returns the page.
pub fn page(figures: &Figures) -> String {
    let name = plain(figures.capture.device.name.raw());
    let title = format!("Load of {name}");
    let header = html! { h1 { (title) } p.soft { (capture::title(figures)) } };
    let table = capture::table(figures);
    let charts = charts(figures);
    let main = html! {
        section id="result" {
            p { b { (capture::conclusion(figures)) } }
            @for line in capture::uncertain(figures).into_iter().chain(capture::selected(figures)) { p { (line) } }
        }
        section id="over-time" {
            h2 { "Over time" }
            @if charts.is_empty() { p { "no I/Os" } }
            div.charts { @for chart in &charts { (figure(chart)) } }
        }
        section id="figures" {
            h2 { "Figures" }
            @if !table.rows.is_empty() { (table.html()) }
            pre { (capture::lines(figures).join("\n")) }
        }
    };
    document(&title, &header, &main, env!("CARGO_PKG_VERSION"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::capture::Layer;

    #[test]
    fn the_page_has_the_rates_over_time_and_the_figures_of_the_card() {
        let page = page(&crate::capture::tests::figures(Layer::Requests));
        for expected in [
            "IOPS over time",
            "Bandwidth over time",
            "Flushes over time",
            "sizes of reads: 4 KiB 100 %",
            "only I/Os that pid:7 submitted",
        ] {
            assert!(page.contains(expected), "{expected}\n{page}");
        }
        assert!(!page.contains('\u{1b}') && page.contains("reads: from 1,000 IOPS to 1,000 IOPS."), "{page}");
    }
}

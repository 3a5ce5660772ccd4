//! Colours of the page and its charts, for light and dark mode.

/// Name, colour on a light background, colour on a dark background.
const COLOURS: [(&str, &str, &str); 33] = [
    ("ground", "#ffffff", "#14171a"),
    ("panel", "#f5f6f8", "#1d2125"),
    ("ink", "#1b1f24", "#e6e9ec"),
    ("soft", "#57606a", "#a3adb7"),
    ("rule", "#d5d9de", "#363c43"),
    ("link", "#0b5cad", "#7cbcff"),
    ("pass", "#1a6b3c", "#63d297"),
    ("pass-ground", "#e3f5ea", "#143223"),
    ("fail", "#b3261e", "#ff8f86"),
    ("fail-ground", "#fdeceb", "#3f1a18"),
    ("skipped", "#595959", "#bdbdbd"),
    ("skipped-ground", "#eeeeee", "#2b2b2b"),
    ("inconclusive", "#7a5200", "#f0c05a"),
    ("inconclusive-ground", "#fdf3da", "#382b0e"),
    ("invalid", "#7a2f9e", "#d6a1f2"),
    ("invalid-ground", "#f6eafb", "#331c3f"),
    ("c0", "#0b66c3", "#6cb2f5"),
    ("c1", "#c05300", "#f2a35c"),
    ("c2", "#1a7f4b", "#5fcf97"),
    ("c3", "#7d4cc0", "#c3a1f5"),
    ("c4", "#b8336a", "#f58bb4"),
    ("c5", "#6b5d00", "#d8c84a"),
    ("c6", "#007a87", "#4fd0de"),
    ("c7", "#5c6670", "#b4bec8"),
    ("limit", "#b3261e", "#ff8f86"),
    ("h1", "#e3eefb", "#16283a"),
    ("h2", "#c3dcf6", "#1c3c5c"),
    ("h3", "#99c4ee", "#21527f"),
    ("h4", "#68a6e2", "#2a6ca8"),
    ("h5", "#3a85d0", "#4189cc"),
    ("h6", "#1d66b0", "#6aa9e4"),
    ("h7", "#0f4a87", "#9cc8f2"),
    ("h8", "#082f5a", "#d6e9fb"),
];

/// Number of series with a separate colour.
pub const SERIES: usize = 8;
/// Colour steps of the heat map.
pub const HEATS: usize = 8;

/// The style of charts, with names of colours.
const STYLE: &str = include_str!("chart.css");

/// Returns the colours as CSS variables.
pub fn variables(dark: bool) -> String {
    COLOURS.iter().map(|(name, light, night)| format!("--{name}:{};", if dark { night } else { light })).collect()
}

/// Returns a colour on a light background.
pub fn light(name: &str) -> &'static str {
    COLOURS.iter().find(|(known, ..)| *known == name).map_or("#000", |(_, light, _)| light)
}

pub fn style() -> &'static str {
    STYLE
}

/// Returns the style of a chart in a file of its own: light, and without CSS variables, which not all programs support.
pub fn style_alone() -> String {
    let mut style = STYLE.to_owned();
    for (name, light, _) in COLOURS {
        style = style.replace(&format!("var(--{name})"), light);
    }
    style
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_style_alone_has_no_variables() {
        assert!(!style_alone().contains("var("), "{}", style_alone());
    }

    /// Returns the contrast of two colours (WCAG 2).
    fn contrast(one: &str, other: &str) -> f64 {
        let light = |colour: &str| {
            let part = |at: usize| {
                let value = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).expect("two digits")) / 255.0;
                if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
            };
            0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
        };
        let (one, other) = (light(one), light(other));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    }

    #[test]
    fn text_and_lines_stand_out_from_their_ground() {
        let of = |wanted: &str| COLOURS.into_iter().find(|(name, ..)| *name == wanted).expect("a colour of that name");
        let (_, light, dark) = of("ground");
        for name in [
            "ink",
            "soft",
            "link",
            "pass",
            "fail",
            "skipped",
            "inconclusive",
            "invalid",
            "c0",
            "c1",
            "c2",
            "c3",
            "c4",
            "c5",
            "c6",
            "c7",
        ] {
            let (_, by_day, by_night) = of(name);
            for (colour, ground) in [(by_day, light), (by_night, dark)] {
                assert!(contrast(colour, ground) >= 4.5, "{name}: {colour} on {ground}");
            }
        }
        for name in ["pass", "fail", "skipped", "inconclusive", "invalid"] {
            let ((_, day, night), (_, day_ground, night_ground)) = (of(name), of(&format!("{name}-ground")));
            assert!(contrast(day, day_ground) >= 4.5 && contrast(night, night_ground) >= 4.5, "{name}");
        }
    }
}

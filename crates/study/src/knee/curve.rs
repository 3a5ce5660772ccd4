//! The knee of a curve: the point that lies furthest from the straight line between its ends.
//!
//! Kneedle (Satopää, Albrecht, Irwin, Raghavan: "Finding a Kneedle in a Haystack", 2011) without smoothing: both axes
//! are scaled to 0 to 1, and the knee is the point with the largest distance from the diagonal, on the side of the
//! bend.

/// A curve that stays nearer to its chord has no knee.
const LEAST_DISTANCE: f64 = 0.1;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bend {
    /// Flat, then steep: latency over load.
    Up,
    /// Steep, then flat: throughput over depth.
    Down,
}

/// Returns the index of the knee among points with rising x; `None` if there is none.
pub fn knee(points: &[(f64, f64)], bend: Bend) -> Option<usize> {
    let (first, last) = (points.first()?, points.last()?);
    let (width, height) = (last.0 - first.0, last.1 - first.1);
    if points.len() < 3 || width <= 0.0 || height <= 0.0 {
        return None;
    }
    let distance = |(x, y): &(f64, f64)| {
        let above = (y - first.1) / height - (x - first.0) / width;
        if bend == Bend::Up { -above } else { above }
    };
    let (at, most) =
        points.iter().map(distance).enumerate().reduce(|best, next| if next.1 > best.1 { next } else { best })?;
    (most >= LEAST_DISTANCE).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_knee_of_a_queue_is_where_latency_outgrows_load() {
        let points: Vec<(f64, f64)> =
            (0..=19).map(|step| f64::from(step) / 20.0).map(|x| (x, 1.0 / (1.0 - x))).collect();
        // The slope of 1/(1-x) is that of its chord, 20, where (1-x)² is 1/20.
        let at = knee(&points, Bend::Up).unwrap();
        assert!((points[at].0 - 0.776).abs() < 0.03, "{:?}", points[at]);
    }

    #[test]
    fn throughput_levels_off_where_the_servers_are_all_busy() {
        let points: Vec<(f64, f64)> = (0..8).map(|step| (f64::from(step), f64::from(1 << step.min(4)))).collect();
        assert_eq!(knee(&points, Bend::Down), Some(4));
    }

    #[test]
    fn straight_flat_and_short_curves_have_none() {
        assert_eq!(knee(&[(0.0, 0.0), (1.0, 1.0), (2.0, 2.0)], Bend::Up), None);
        assert_eq!(knee(&[(0.0, 3.0), (1.0, 3.0), (2.0, 3.0)], Bend::Up), None);
        assert_eq!(knee(&[(0.0, 0.0), (1.0, 9.0)], Bend::Down), None);
        assert_eq!(knee(&[], Bend::Up), None);
    }
}

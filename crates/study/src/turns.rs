//! The order of the runs of several points, each run several times.

use random::Tausworthe32;

use crate::error::StudyError;

/// Largest number of runs of a study.
pub const RUNS_MAX: usize = 10_000;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Order {
    /// All points once for each repeat: A B A B.
    #[default]
    Given,
    /// All repeats of a point before the next point: A A B B.
    Blocks,
    /// Every other repeat in reverse: A B B A. An even drift then affects both of two points alike.
    Mirrored,
    /// All runs shuffled, so that a drift over time does not look like an effect.
    Random { seed: u32 },
}

impl Order {
    /// Parses the name of an order; `seed` is that of a random one.
    pub fn parse(kind: &str, seed: Option<u32>) -> Option<Order> {
        let orders = [Order::Given, Order::Blocks, Order::Mirrored, Order::Random { seed: seed.unwrap_or_default() }];
        orders.into_iter().find(|order| order.kind() == kind)
    }

    /// Returns the seed of a random order.
    pub fn seed(self) -> Option<u32> {
        match self {
            Order::Random { seed } => Some(seed),
            Order::Given | Order::Blocks | Order::Mirrored => None,
        }
    }

    /// Returns the name of the order in documents.
    pub fn kind(self) -> &'static str {
        match self {
            Order::Given => "given",
            Order::Blocks => "blocks",
            Order::Mirrored => "abba",
            Order::Random { .. } => "random",
        }
    }
}

/// One run of one point.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Turn {
    pub point: usize,
    /// From 0.
    pub repeat: usize,
}

/// Returns all runs in their order.
///
/// # Errors
///
/// There are more than [`RUNS_MAX`].
pub fn turns(points: usize, repeats: usize, order: Order) -> Result<Vec<Turn>, StudyError> {
    if points.checked_mul(repeats).is_none_or(|total| total > RUNS_MAX) {
        return Err(StudyError::TooManyRuns);
    }
    let round = |repeat: usize| (0..points).map(move |point| Turn { point, repeat });
    let mut turns: Vec<Turn> = match order {
        Order::Blocks => (0..points).flat_map(|point| (0..repeats).map(move |repeat| Turn { point, repeat })).collect(),
        Order::Mirrored => {
            let rounds = (0..repeats).map(|repeat| {
                let mut round: Vec<Turn> = round(repeat).collect();
                if repeat % 2 == 1 {
                    round.reverse();
                }
                round
            });
            rounds.flatten().collect()
        }
        Order::Given | Order::Random { .. } => (0..repeats).flat_map(round).collect(),
    };
    if let Order::Random { seed } = order {
        shuffle(&mut turns, seed);
    }
    Ok(turns)
}

/// Fisher and Yates' shuffle.
fn shuffle(turns: &mut [Turn], seed: u32) {
    let mut random = Tausworthe32::new(seed);
    for end in (1..turns.len()).rev() {
        turns.swap(end, (random.fraction() * (end + 1) as f64) as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(order: Order) -> String {
        let turns = turns(2, 3, order).expect("few runs");
        turns.iter().map(|turn| ["A", "B"][turn.point]).collect()
    }

    #[test]
    fn two_points_run_in_blocks_alternating_or_mirrored() {
        assert_eq!([Order::Blocks, Order::Given, Order::Mirrored].map(points), ["AAABBB", "ABABAB", "ABBAAB"]);
        let mut shuffled: Vec<char> = points(Order::Random { seed: 4 }).chars().collect();
        shuffled.sort_unstable();
        assert_eq!(shuffled.iter().collect::<String>(), "AAABBB");
    }

    #[test]
    fn repeats_of_a_point_keep_their_order_unless_shuffled() {
        let turns = turns(2, 3, Order::Mirrored).expect("few runs");
        let repeats: Vec<usize> = turns.iter().filter(|turn| turn.point == 1).map(|turn| turn.repeat).collect();
        assert_eq!(repeats, [0, 1, 2]);
    }

    #[test]
    fn too_many_runs_are_refused() {
        assert!(super::turns(2, usize::MAX, Order::Given).is_err());
        assert!(super::turns(2, RUNS_MAX / 2, Order::Given).is_ok());
    }
}

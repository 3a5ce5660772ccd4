//! Choice of the placement identifier of a write, as in fio.

use random::Tausworthe32;

use ::io::{DataPlacement, PlacementKind, PlacementSelect};

/// Directive types of the NVMe specification.
const STREAMS: u32 = 1;
const DATA_PLACEMENT: u32 = 2;

/// The identifiers of one file.
pub(super) struct Identifiers {
    ids: Vec<u16>,
    next: usize,
}

impl Identifiers {
    pub(super) fn new(ids: Vec<u16>) -> Self {
        Identifiers { ids, next: 0 }
    }
}

/// Chooses identifiers for the files of a worker.
pub(super) struct Placement {
    kind: PlacementKind,
    select: PlacementSelect,
    random: Tausworthe32,
}

impl Placement {
    pub(super) fn new(config: &DataPlacement, seed: u64) -> Self {
        let DataPlacement { kind, select, .. } = config;
        Placement { kind: *kind, select: select.clone(), random: Tausworthe32::new(super::nvme::low_half(seed)) }
    }

    /// Returns the directive type.
    pub(super) fn directive(&self) -> u32 {
        match self.kind {
            PlacementKind::Flexible => DATA_PLACEMENT,
            PlacementKind::Streams => STREAMS,
        }
    }

    /// Returns the identifier of the next write.
    pub(super) fn choose(&mut self, file: &mut Identifiers, offset: u64) -> u16 {
        match &self.select {
            PlacementSelect::RoundRobin => {
                let at = file.next % file.ids.len().max(1);
                file.next = at + 1;
                file.ids.get(at).copied().unwrap_or(0)
            }
            PlacementSelect::Random => {
                let last = u32::try_from(file.ids.len().saturating_sub(1)).unwrap_or(u32::MAX);
                let at = self.random.between(0, last) as usize;
                file.ids.get(at).copied().unwrap_or(0)
            }
            PlacementSelect::Scheme(ranges) => {
                let range = ranges.iter().find(|range| (range.start..range.end).contains(&offset));
                range.map_or(0, |range| range.id)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::io::PlacementRange;

    fn placement(select: PlacementSelect) -> Placement {
        Placement::new(&DataPlacement { kind: PlacementKind::Flexible, select, ids: Vec::new() }, 42)
    }

    #[test]
    fn round_robin_is_per_file() {
        let mut placement = placement(PlacementSelect::RoundRobin);
        let (mut one, mut other) = (Identifiers::new(vec![3, 5, 9]), Identifiers::new(vec![1]));
        let chosen: Vec<u16> = (0..5).map(|_| placement.choose(&mut one, 0)).collect();
        assert_eq!(chosen, [3, 5, 9, 3, 5]);
        assert_eq!(placement.choose(&mut other, 0), 1);
        assert_eq!(placement.choose(&mut one, 0), 9);
    }

    #[test]
    fn random_chooses_each_identifier_and_repeats_with_the_seed() {
        let draw = || {
            let (mut placement, mut file) = (placement(PlacementSelect::Random), Identifiers::new(vec![2, 4, 6]));
            (0..300).map(|_| placement.choose(&mut file, 0)).collect::<Vec<_>>()
        };
        let chosen = draw();
        assert_eq!(chosen, draw());
        for id in [2, 4, 6] {
            let count = chosen.iter().filter(|&&chosen| chosen == id).count();
            assert!((70..130).contains(&count), "{id}: {count}");
        }
    }

    #[test]
    fn scheme_takes_the_first_range_with_the_offset() {
        let range = |start, end, id| PlacementRange { start, end, id };
        let ranges = vec![range(0, 100, 7), range(50, 200, 8), range(300, 400, 9)];
        let mut placement = placement(PlacementSelect::Scheme(ranges));
        let mut file = Identifiers::new(vec![1, 2]);
        let chosen = [0, 99, 100, 199, 200, 300, 400].map(|offset| placement.choose(&mut file, offset));
        assert_eq!(chosen, [7, 7, 8, 8, 0, 9, 0]);
    }

    #[test]
    fn directive_types_are_those_of_nvme() {
        let mut config = DataPlacement { kind: PlacementKind::Streams, select: PlacementSelect::Random, ids: vec![1] };
        assert_eq!(Placement::new(&config, 0).directive(), 1);
        config.kind = PlacementKind::Flexible;
        assert_eq!(Placement::new(&config, 0).directive(), 2);
    }
}

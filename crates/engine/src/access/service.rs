//! Order in which a worker uses its files.

use plan::{FileOrder, FileService};
use random::{Normal, Pareto, Tausworthe, Zipf};

use super::file::{File, State};
use super::seeds::{Purpose, SeedTable};

/// Skewed orders draw from 2¹⁰ positions per file.
const PLACES_SHIFT: u32 = 10;

#[derive(Clone, Debug)]
pub(super) struct Service {
    order: Order,
    is_skewed: bool,
    ios_each: u32,
    /// A file is used until it is done: the order says so, or there is one file.
    stays: bool,
    open_limit: usize,
    open: usize,
    done: usize,
    current: Option<usize>,
    left: u32,
    next: usize,
}

#[derive(Clone, Debug)]
enum Order {
    RoundRobin,
    Sequential,
    Random(Tausworthe),
    Zipf(Zipf),
    Pareto(Pareto),
    Normal(Normal),
}

impl Service {
    pub(super) fn new(
        service: FileService,
        open_limit: Option<usize>,
        files: usize,
        seeds: &SeedTable,
        wide: bool,
    ) -> Self {
        let seed = seeds.of(Purpose::File);
        let is_skewed = service.order.is_skewed();
        let places = (files as u64) << PLACES_SHIFT;
        let order = match service.order {
            FileOrder::RoundRobin => Order::RoundRobin,
            FileOrder::Sequential => Order::Sequential,
            FileOrder::Random => Order::Random(Tausworthe::new(seed, wide)),
            FileOrder::Zipf { theta, center } => {
                Order::Zipf(Zipf::new(places, theta, center, crate::number::low_half(seed), false))
            }
            FileOrder::Pareto { power, center } => {
                Order::Pareto(Pareto::new(places, power, center, crate::number::low_half(seed), false))
            }
            FileOrder::Normal { deviation_percent, center } => {
                Order::Normal(Normal::new(places, deviation_percent, center, crate::number::low_half(seed), false))
            }
        };
        let open_limit = open_limit.map_or(files, |limit| limit.min(files));
        let ios_each = service.ios_each.max(1);
        let stays = files == 1 || matches!(order, Order::Sequential);
        Service { order, is_skewed, ios_each, stays, open_limit, open: 0, done: 0, current: None, left: 0, next: 0 }
    }

    pub(super) fn reseed(&mut self, seeds: &SeedTable, wide: bool) {
        let seed = seeds.of(Purpose::File);
        match &mut self.order {
            Order::RoundRobin | Order::Sequential => {}
            Order::Random(random) => *random = Tausworthe::new(seed, wide),
            Order::Zipf(zipf) => zipf.reseed(crate::number::low_half(seed)),
            Order::Pareto(pareto) => pareto.reseed(crate::number::low_half(seed)),
            Order::Normal(normal) => normal.reseed(crate::number::low_half(seed)),
        }
    }

    /// Returns true for skewed orders. Their files are never done: they start over.
    pub(super) fn is_skewed(&self) -> bool {
        self.is_skewed
    }

    /// Returns the file for the next I/O, or `None` if all are done.
    #[inline]
    pub(super) fn choose(&mut self, files: &mut [File], seed: u64) -> Option<usize> {
        if let Some(current) = self.current
            && files[current].state == State::Open
        {
            if self.stays {
                return Some(current);
            }
            if self.left > 0 {
                self.left -= 1;
                return Some(current);
            }
        }
        self.change(files, seed)
    }

    fn change(&mut self, files: &mut [File], seed: u64) -> Option<usize> {
        if self.done >= files.len() {
            return None;
        }
        loop {
            let chosen = self.candidate(files.len());
            let file = &mut files[chosen];
            match file.state {
                State::Open => {}
                State::Closed if self.open < self.open_limit => {
                    file.reset(seed);
                    file.state = State::Open;
                    self.open += 1;
                }
                State::Closed | State::Done => continue,
            }
            self.current = Some(chosen);
            self.left = self.ios_each - 1;
            return Some(chosen);
        }
    }

    fn candidate(&mut self, files: usize) -> usize {
        let chosen = match &mut self.order {
            Order::RoundRobin | Order::Sequential => {
                let chosen = self.next;
                self.next = if chosen + 1 >= files { 0 } else { chosen + 1 };
                return chosen;
            }
            Order::Random(random) => crate::number::size(units::number::whole(files as f64 * random.fraction())),
            Order::Zipf(zipf) => (zipf.draw() >> PLACES_SHIFT) as usize,
            Order::Pareto(pareto) => (pareto.draw() >> PLACES_SHIFT) as usize,
            Order::Normal(normal) => (normal.draw() >> PLACES_SHIFT) as usize,
        };
        chosen.min(files - 1)
    }

    /// Marks a file as done for this pass.
    pub(super) fn finish(&mut self, file: &mut File) {
        file.state = State::Done;
        self.open -= 1;
        self.done += 1;
    }

    /// Closes a file. It starts over when it is chosen next.
    pub(super) fn close(&mut self, file: &mut File) {
        file.state = State::Closed;
        self.open -= 1;
    }

    pub(super) fn start_pass(&mut self, files: &mut [File]) {
        files.iter_mut().for_each(File::close);
        (self.open, self.done) = (0, 0);
    }
}

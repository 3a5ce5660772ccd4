//! Decodes pages of the kernel's trace.

use std::collections::HashMap;

use units::untrusted::UntrustedText;

use crate::event::{Event, FORK, Fork, Kind, kind, operation};
use crate::io::{Flags, Operation};
use crate::layout::{Described, Field, split};
use crate::page::PageLayout;

/// Most names of programs. The I/Os of others have no name.
pub const PROGRAMS_MAX: usize = 4096;

/// Most bytes of the number and the name of a thread.
const KEY_MAX: usize = 64;

/// Names of the kernel's threads that do I/O for a thread: they end with its number.
const HELPERS: [&[u8]; 2] = [b"iou-wrk-", b"iou-sqp-"];

/// Returns the thread for which the thread of io_uring with this name does I/O.
pub fn helped_thread(name: &[u8]) -> Option<u32> {
    let number = HELPERS.iter().find_map(|helper| name.strip_prefix(*helper))?;
    std::str::from_utf8(number).ok()?.parse().ok()
}

/// Which names are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Names {
    Programs,
    /// Each thread by its own, also if others have the same name.
    Threads,
}

/// A thread that submitted I/Os.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Thread {
    /// The kernel's number of the thread. `None` if only names are kept.
    pub number: Option<u32>,
    pub name: UntrustedText,
}

/// The description of the trace lacks a field.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the kernel's description of {of} has no field {field}")]
pub struct FormatError {
    /// Name of the event, or `header_page`.
    pub of: String,
    pub field: &'static str,
}

/// Places of the fields of an event.
struct EventLayout {
    kind: Kind,
    sector: Field,
    sectors: Option<Field>,
    rwbs: Field,
    error: Option<Field>,
    /// Of a split.
    next: Option<Field>,
    program: Option<Field>,
}

/// Places of the fields of a fork.
struct ForkLayout {
    number: u64,
    parent: Field,
    child: Field,
}

impl EventLayout {
    fn of(kind: Kind, described: &Described) -> Result<EventLayout, FormatError> {
        let optional = |name: &'static str| described.fields.get(name).copied();
        let required = |name: &'static str| {
            optional(name).ok_or_else(|| FormatError { of: described.name.to_owned(), field: name })
        };
        let is_split = matches!(kind, Kind::Split { .. });
        Ok(EventLayout {
            kind,
            sector: required("sector")?,
            sectors: if is_split { None } else { Some(required("nr_sector")?) },
            rwbs: required("rwbs")?,
            error: optional("error"),
            next: if is_split { Some(required("new_sector")?) } else { None },
            program: if matches!(kind, Kind::Start { .. }) { optional("comm") } else { None },
        })
    }
}

/// Decodes the pages of a trace.
pub struct Decoder {
    page: PageLayout,
    /// Place of the number of an event.
    number: Field,
    events: HashMap<u64, EventLayout>,
    /// Programs by name, or threads by number and name. `None` if names are not wanted.
    programs: Option<HashMap<Vec<u8>, u32>>,
    /// Place of the number of the thread, if threads are distinguished.
    thread: Option<Field>,
    /// Place of the number of the thread.
    submitter: Option<Field>,
    fork: Option<ForkLayout>,
    forks: Vec<Fork>,
    decoded: u64,
    unreadable: u64,
}

impl Decoder {
    /// Reads the descriptions: the text of `events/header_page`, then those of `format` of each event. `names`: which names are
    /// kept.
    ///
    /// # Errors
    /// A description lacks a field.
    pub fn new(descriptions: &str, names: Option<Names>) -> Result<Decoder, FormatError> {
        let (head, described) = split(descriptions);
        let of_head = |field| FormatError { of: "header_page".to_owned(), field };
        let page = PageLayout::of(&head).ok_or_else(|| of_head("timestamp, commit or data"))?;
        let mut events = HashMap::new();
        let (mut number, mut submitter, mut fork) = (None, None, None);
        for event in &described {
            let field = |name: &'static str| event.fields.get(name).copied();
            number = number.or_else(|| field("common_type"));
            submitter = submitter.or_else(|| field("common_pid"));
            if FORK.rsplit('/').next() == Some(event.name) {
                let required = |name| field(name).ok_or_else(|| FormatError { of: event.name.to_owned(), field: name });
                let (parent, child) = (required("parent_pid")?, required("child_pid")?);
                fork = Some(ForkLayout { number: event.number, parent, child });
            }
            let Some(kind) = kind(event.name) else { continue };
            events.insert(event.number, EventLayout::of(kind, event)?);
        }
        let number = number.ok_or(FormatError { of: "events".to_owned(), field: "common_type" })?;
        let programs = names.is_some().then(HashMap::new);
        let thread = submitter.filter(|_| names == Some(Names::Threads));
        let (forks, decoded, unreadable) = (Vec::new(), 0, 0);
        Ok(Decoder { page, number, events, programs, thread, submitter, fork, forks, decoded, unreadable })
    }

    /// Appends the events of a page. Flushes that the kernel makes of other I/Os are left out.
    pub fn page(&mut self, page: &[u8], to: &mut Vec<Event>) {
        let Some(mut entries) = self.page.entries(page) else { return self.unreadable += 1 };
        for (at_ns, data) in entries.by_ref() {
            match self.event(at_ns, data) {
                Some(event) => {
                    self.decoded += 1;
                    to.extend(event);
                }
                None => self.unreadable += 1,
            }
        }
        self.unreadable += u64::from(entries.is_broken);
    }

    /// Returns an event. The outer `None` is data that is no event, the inner one an event that is left out.
    fn event(&mut self, at_ns: u64, data: &[u8]) -> Option<Option<Event>> {
        let number = self.number.number(data)?;
        if let Some(fork) = self.fork.as_ref().filter(|fork| fork.number == number) {
            let thread = |field: Field| u32::try_from(field.number(data)?).ok();
            self.forks.push(Fork { at_ns, parent: thread(fork.parent)?, child: thread(fork.child)? });
            return Some(None);
        }
        let layout = self.events.get(&number)?;
        let sector = layout.sector.number(data)?;
        let Some((operation, flags)) = operation(layout.rwbs.bytes(data)?) else { return Some(None) };
        let sectors = match layout.sectors {
            Some(field) => u32::try_from(field.number(data)?).ok()?,
            None => 0,
        };
        let is_failed = layout.error.is_some_and(|field| field.number(data).is_some_and(|error| error != 0));
        let mut thread = self.submitter.and_then(|field| u32::try_from(field.number(data)?).ok());
        let kind = match (layout.kind, layout.next) {
            (Kind::Split { .. }, Some(next)) => Kind::Split { next: next.number(data)? },
            (Kind::Start { .. }, _) => {
                let name = layout.program.and_then(|field| field.bytes(data)?.split(|byte| *byte == 0).next());
                thread = name.and_then(helped_thread).or(thread);
                let number = self.thread.and_then(|field| field.bytes(data)).unwrap_or_default();
                let known = self.programs.as_mut().zip(name);
                Kind::Start { program: known.and_then(|(known, name)| program(known, number, name)) }
            }
            (kind, _) => kind,
        };
        // A flush is a write without data.
        let is_flush = operation == Operation::Write && sectors == 0 && !matches!(kind, Kind::Split { .. });
        let operation = if is_flush { Operation::Flush } else { operation };
        let flags = if is_failed { flags.with(Flags::FAILED) } else { flags };
        Some(Some(Event { at_ns, kind, thread, operation, flags, sector, sectors }))
    }

    /// Returns the forks since the last call.
    pub fn take_forks(&mut self) -> Vec<Fork> {
        std::mem::take(&mut self.forks)
    }

    /// Returns the number of decoded events.
    pub fn decoded(&self) -> u64 {
        self.decoded
    }

    /// Returns the number of pages and entries that are not valid.
    pub fn unreadable(&self) -> u64 {
        self.unreadable
    }

    /// Returns the names of programs, by index.
    pub fn programs(&self) -> Vec<UntrustedText> {
        self.threads().into_iter().map(|thread| thread.name).collect()
    }

    /// Returns the threads, by index.
    pub fn threads(&self) -> Vec<Thread> {
        let number_bytes = self.thread.map_or(0, |field| field.size);
        let thread = |(key, index): (&Vec<u8>, &u32)| {
            let (number, name) = key.split_at(number_bytes.min(key.len()));
            let number = self.thread.and_then(|_| Field { offset: 0, size: number_bytes }.number(number));
            let name = String::from_utf8_lossy(name).into_owned().into();
            (*index, Thread { number: number.and_then(|number| u32::try_from(number).ok()), name })
        };
        let mut threads: Vec<(u32, Thread)> = self.programs.iter().flatten().map(thread).collect();
        threads.sort_unstable_by_key(|(index, _)| *index);
        threads.into_iter().map(|(_, thread)| thread).collect()
    }
}

/// Returns the index of a program or thread.
fn program(known: &mut HashMap<Vec<u8>, u32>, thread: &[u8], name: &[u8]) -> Option<u32> {
    // Numbers of threads and names are short.
    let mut key = [0; KEY_MAX];
    let length = thread.len() + name.len();
    key.get_mut(..thread.len())?.copy_from_slice(thread);
    key.get_mut(thread.len()..length)?.copy_from_slice(name);
    let key = &key[..length];
    if let Some(index) = known.get(key) {
        return Some(*index);
    }
    let index = u32::try_from(known.len()).ok().filter(|_| known.len() < PROGRAMS_MAX)?;
    known.insert(key.to_owned(), index);
    Some(index)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DESCRIPTIONS: &str = include_str!("../../../corpus/traces/formats.txt");
    /// A page of each of two CPUs of kernel 6.18: three writes, a flush and split reads of a loop device.
    const PAGES: &[u8] = include_bytes!("../../../corpus/traces/pages.bin");

    fn decoded(has_names: bool) -> (Vec<Event>, Decoder) {
        let mut decoder = Decoder::new(DESCRIPTIONS, has_names.then_some(Names::Programs)).unwrap();
        let mut events = Vec::new();
        PAGES.chunks(4096).for_each(|page| decoder.page(page, &mut events));
        events.sort_by_key(|event| event.at_ns);
        (events, decoder)
    }

    #[test]
    fn real_pages_have_the_events_that_the_kernel_prints() {
        let (events, decoder) = decoded(false);
        let first: Vec<_> = events.iter().take(3).map(|of| (of.kind, of.operation, of.sector, of.sectors)).collect();
        let write = |kind| (kind, Operation::Write, 0, 8);
        assert_eq!(first, [write(Kind::Start { program: None }), write(Kind::Issue), write(Kind::Complete)]);
        // `86052.563345: block_getrq`, rounded.
        assert_eq!((events[0].at_ns + 500) / 1000, 86_052_563_345);
        assert_eq!(events[0].flags, Flags::SYNC);
        let flush: Vec<Kind> = events.iter().filter(|of| of.operation == Operation::Flush).map(|of| of.kind).collect();
        assert_eq!(flush, [Kind::Start { program: None }, Kind::Complete], "the device's own flush is left out");
        assert!(events.iter().any(|of| of.kind == Kind::Split { next: 9216 } && of.sector == 8192));
        assert_eq!(decoder.unreadable(), 0);
        assert_eq!(decoder.decoded(), events.len() as u64 + 2, "issue and completion of the device's flush");
        assert!(decoder.programs().is_empty());
    }

    #[test]
    fn names_are_kept_only_if_wanted() {
        let (events, decoder) = decoded(true);
        assert_eq!(decoder.programs()[0], "dd");
        assert_eq!(events[0].kind, Kind::Start { program: Some(0) });
    }

    #[test]
    fn threads_have_numbers_and_names() {
        let mut decoder = Decoder::new(DESCRIPTIONS, Some(Names::Threads)).unwrap();
        let mut events = Vec::new();
        PAGES.chunks(4096).for_each(|page| decoder.page(page, &mut events));
        let threads = decoder.threads();
        assert!(threads.iter().any(|thread| thread.name == "dd" && thread.number > Some(0)), "{threads:?}");
    }

    #[test]
    fn forks_and_the_threads_of_io_uring_are_found() {
        // The event of a flush has numbers at the places of those of a fork.
        let fork = "name: sched_process_fork\nID: 1\n\tfield:pid_t parent_pid;\toffset:4;\tsize:4;\tsigned:1;\n\
                    \tfield:pid_t child_pid;\toffset:24;\tsize:4;\tsigned:0;\n";
        let number = DESCRIPTIONS.lines().find_map(|line| line.strip_prefix("ID: ")).unwrap();
        let (page, start) = DESCRIPTIONS.split_once("name: ").unwrap();
        let start = start.split_once("\nname: ").unwrap().1;
        let descriptions = format!("{page}{}name: {start}", fork.replace("ID: 1", &format!("ID: {number}")));
        let mut decoder = Decoder::new(&descriptions, None).unwrap();
        let mut events = Vec::new();
        PAGES.chunks(4096).for_each(|page| decoder.page(page, &mut events));
        let forks = decoder.take_forks();
        assert!(forks[0].parent > 0 && forks[0].child == 8, "{forks:?}");
        assert!(decoder.take_forks().is_empty() && decoder.unreadable() == 0);
        let threads = decoded(false).0.iter().map(|event| event.thread).collect::<Vec<_>>();
        assert_eq!(threads[0], Some(forks[0].parent));
        assert_eq!(
            [&b"iou-wrk-7"[..], b"iou-sqp-12", b"iou-wrk-", b"dd"].map(helped_thread),
            [Some(7), Some(12), None, None]
        );
        assert!(Decoder::new(&descriptions.replace("child_pid", "x"), None).is_err());
    }

    #[test]
    fn offsets_are_those_of_the_descriptions() {
        // Another kernel has another field before the operation.
        let moved = DESCRIPTIONS.replace("field:char rwbs[10];\toffset:28;", "field:char rwbs[10];\toffset:29;");
        let mut decoder = Decoder::new(&moved, None).unwrap();
        let mut events = Vec::new();
        decoder.page(&PAGES[..4096], &mut events);
        assert!(!events.iter().any(|of| matches!(of.kind, Kind::Start { .. }) && of.operation == Operation::Write));
        let lacking = DESCRIPTIONS.replace("nr_sector", "sector_count");
        let error = Decoder::new(&lacking, None).err().unwrap();
        assert_eq!(error.field, "nr_sector");
        assert!(Decoder::new("", None).is_err());
    }

    #[test]
    fn bytes_that_are_no_page_are_counted() {
        let mut decoder = Decoder::new(DESCRIPTIONS, None).unwrap();
        let mut events = Vec::new();
        decoder.page(&PAGES[..8], &mut events);
        decoder.page(&[0xff; 4096], &mut events);
        assert_eq!((events.len(), decoder.unreadable()), (0, 2));
    }
}

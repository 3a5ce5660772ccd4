//! The runs of a study on many hosts. The launcher is started once. After a run with a lost host it is started again.

use std::cell::{Cell, OnceCell, RefCell};
use std::path::Path;
use std::sync::Arc;

use ::fleet::{Family, HostSlots, ProgressOptions, Question, Request, Sharing, Texts, Work};
use live::Fleet;
use os::signal::Interrupts;
use plan::Plan;
use record::schema::{self, Layout};
use record::{ErrorKind, Machine, NotRunBy, RunError};
use study::suite;
use targets::Lease;

use super::FleetOptions;
use super::host_targets::{FoundOnHost, HostQuestion, NamedTarget};
use super::launcher::{self, Launched};
use super::targets::combine;
use super::view::{LiveViewsOnly, Watched, print_cpu_notes};
use crate::command_error::CommandError;
use crate::like::{self, Division};
use crate::run::{self, RunEnd, RunOptions, Watcher};
use crate::runner::Runner;
use crate::scratch::{self, RunId, TestFiles};
use crate::target::Found;

/// The hosts of `--hosts`, and the launcher that starts fathom on them.
pub struct Hosts<'a> {
    options: &'a FleetOptions,
    family: Family,
    list: Vec<HostSlots>,
    /// The options of `fathom fleet` as typed.
    typed: &'a [String],
    launched: RefCell<Option<Launched>>,
    /// The machine of the first host, after a target was found on it.
    machine: OnceCell<Machine>,
    /// All hosts have io_uring, as far as targets were found on them.
    have_rings: Cell<bool>,
    /// The consent to overwrite data.
    overwrite: OnceCell<Vec<String>>,
}

impl<'a> Hosts<'a> {
    /// Finds the launcher.
    ///
    /// # Errors
    /// There are no hosts, or no launcher.
    pub fn find(
        options: &'a FleetOptions,
        list: Vec<HostSlots>,
        typed: &'a [String],
    ) -> Result<Hosts<'a>, CommandError> {
        if list.is_empty() {
            let help = "help: use --hosts a,b, without mpirun or srun";
            return Err(format!("this command requires --hosts: it starts the launcher\n{help}").into());
        }
        let (launched, machine, overwrite) = (RefCell::default(), OnceCell::new(), OnceCell::new());
        let (family, have_rings) = (launcher::family(options)?, Cell::new(true));
        Ok(Hosts { options, family, list, typed, launched, machine, have_rings, overwrite })
    }

    /// Calls `work` with the fleet, and starts it if it is not active.
    fn with_fleet<T>(&self, work: impl FnOnce(&mut Launched) -> Result<T, String>) -> Result<T, String> {
        let mut launched = self.launched.borrow_mut();
        if launched.as_ref().is_some_and(Launched::is_over) {
            // The files of the tests ended with it.
            if self.overwrite.get().is_some() {
                return Err("a host was lost in an earlier run".to_owned());
            }
            *launched = None;
        }
        match &mut *launched {
            Some(launched) => work(launched),
            none => work(none.insert(Launched::start((self.options, self.family), &self.list)?)),
        }
    }

    fn ask(&self, question: &HostQuestion) -> Result<Vec<(String, String)>, String> {
        self.ask_texts(Texts::All(line(question)?))
    }

    /// Asks the hosts. The questions are by rank.
    fn ask_each(&self, questions: impl Iterator<Item = HostQuestion>) -> Result<Vec<(String, String)>, String> {
        self.ask_texts(Texts::Each(questions.map(|question| line(&question)).collect::<Result<_, _>>()?))
    }

    fn ask_texts(&self, texts: Texts) -> Result<Vec<(String, String)>, String> {
        let FleetOptions { sharing, allows_shared_host, .. } = *self.options;
        let question = Question { texts, sharing, allows_shared_host };
        let answers = self.with_fleet(|launched| launched.ask(&question, &mut Watched(&mut LiveViewsOnly)))?;
        Ok(answers.into_iter().map(|answer| (answer.host.into_raw(), answer.text)).collect())
    }
}

fn line(question: &HostQuestion) -> Result<String, String> {
    Layout::LINE.format(question).map_err(|error| error.to_string())
}

impl Hosts<'_> {
    /// Sends each host its part of a log. Returns the I/Os of each host.
    fn send_log(&self, log: &Path, division: Division) -> Result<Vec<u64>, String> {
        let path = log.to_string_lossy();
        like::divide(log, division, self.hosts().len(), |texts| {
            let questions =
                texts.into_iter().map(|lines| HostQuestion::KeepLog { log: path.clone().into_owned(), lines });
            self.ask_each(questions).map(drop)
        })
    }
}

impl Runner for Hosts<'_> {
    fn run(&self, plan: &Arc<Plan>, _: Interrupts, _: &RunOptions, watcher: &mut dyn Watcher) -> RunEnd {
        let made = saved(plan).and_then(|saved| {
            let request = request(self.options, Work::Plan(saved), watcher.needs_counts());
            self.with_fleet(|launched| launched.run(&request, &mut Watched(watcher)))
        });
        match made {
            Ok(record) => {
                print_cpu_notes(&record);
                RunEnd { record, refused: Vec::new() }
            }
            Err(message) => {
                let mut record = run::new_record(plan);
                record.ended_unix_ms = run::unix_ms();
                let kind = ErrorKind::NotRun { by: NotRunBy::Fleet, reason: message.replace('\n', "; ") };
                RunEnd { record, refused: vec![RunError::new(0, kind)] }
            }
        }
    }

    fn words(&self) -> Vec<String> {
        std::iter::once("fleet".to_owned()).chain(self.typed.iter().cloned()).collect()
    }

    fn find(&self, target: &str, overwrite: &[String]) -> Result<Found, String> {
        let overwrite = self.overwrite.get_or_init(|| overwrite.to_vec()).clone();
        let answers = self.ask(&HostQuestion::Find(NamedTarget { given: target.to_owned(), overwrite }))?;
        let mut hosts: Vec<(String, FoundOnHost)> = Vec::new();
        for (host, text) in answers {
            let found = schema::read_document(text.as_bytes()).map_err(|error| format!("{host}: {error}"))?;
            hosts.push((host, found));
        }
        let found = combine(target, &hosts)?;
        self.have_rings.set(self.have_rings.get() && hosts.iter().all(|(_, of)| of.has_rings));
        if let Some((_, first)) = hosts.into_iter().next() {
            self.machine.get_or_init(|| first.machine);
        }
        Ok(found)
    }

    fn make_files(&self, found: &Found, keep: bool, _: &Lease) -> Result<Box<dyn TestFiles>, String> {
        let id = RunId::random().map_err(|error| format!("{}: {}", found.given, units::errno::reason(&error)))?;
        let overwrite = self.overwrite.get().cloned().unwrap_or_default();
        let target = NamedTarget { given: found.given.clone(), overwrite };
        let answers = self.ask(&HostQuestion::MakeFiles { target: target.clone(), id: id.clone(), keeps: keep })?;
        let has_direct_io = answers.iter().all(|(_, text)| text == "true");
        if self.options.sharing == Sharing::Shared {
            self.ask(&HostQuestion::OpenSharedFiles { target, id: id.clone() })?;
        }
        Ok(Box::new(HostFiles { place: scratch::place(found, &id), has_direct_io }))
    }

    fn file_bytes_max(&self, _: &dyn TestFiles, wanted: u64) -> Result<u64, String> {
        let answers = self.ask(&HostQuestion::FileBytesMax { wanted })?;
        let mut sizes =
            answers.into_iter().map(|(host, text)| text.parse::<u64>().map_err(|error| format!("{host}: {error}")));
        sizes.try_fold(wanted, |least, bytes| Ok(least.min(bytes?)))
    }

    fn has_rings(&self) -> bool {
        self.have_rings.get()
    }

    fn send_logs(&self, load: &Path, fills: &[&Path]) -> Result<Vec<u64>, String> {
        let of_places = match self.options.sharing {
            Sharing::Private => Division::Whole,
            Sharing::Shared => Division::InTurn,
        };
        for log in fills {
            self.send_log(log, of_places)?;
        }
        self.send_log(load, Division::ByStream)
    }

    fn machine(&self) -> Machine {
        self.machine.get().cloned().unwrap_or_else(engine::machine)
    }

    fn hosts(&self) -> Vec<String> {
        self.list.iter().flat_map(|host| std::iter::repeat_n(host.name.clone(), host.slots)).collect()
    }

    fn fleet(&self) -> Fleet {
        Fleet { hosts: self.hosts().len(), is_quiet: self.options.is_quiet }
    }
}

/// The files of the tests on all hosts. Each host removes its own when the fleet ends.
struct HostFiles {
    place: suite::Place,
    has_direct_io: bool,
}

impl TestFiles for HostFiles {
    fn place(&self) -> &suite::Place {
        &self.place
    }

    /// Each host notes its own files.
    fn will_run(&mut self, _: &Plan) -> Result<(), String> {
        Ok(())
    }

    fn has_direct_io(&self) -> bool {
        self.has_direct_io
    }
}

/// Returns the saved form of a plan.
fn saved(plan: &Arc<Plan>) -> Result<String, String> {
    let text = schema::write_unverified(&run::new_record(plan)).map_err(|error| error.to_string())?;
    let read = schema::read(text.as_bytes()).map_err(|error| error.to_string())?;
    if read.plan == *plan {
        return Ok(text);
    }
    Err("passwords and keys are not sent to other hosts: use `fathom fleet fio`".to_owned())
}

/// Returns the request of a run. `has_counts`: the hosts report the counts of each job.
pub fn request(options: &FleetOptions, work: Work, has_counts: bool) -> Request {
    Request {
        work,
        sharing: options.sharing,
        allows_shared_host: options.allows_shared_host,
        on_host_lost: options.on_host_lost,
        progress: ProgressOptions { is_quiet: options.is_quiet, has_counts },
    }
}

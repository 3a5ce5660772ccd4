//! The runs of a study on many hosts. Each run has a launcher of its own.

use std::sync::Arc;

use ::fleet::{Family, HostSlots, Progress, Request, RunDisplay, Work};
use os::signal::Interrupts;
use plan::Plan;
use record::{RunError, schema};

use super::launcher;
use super::view::warn;
use crate::args::fleet::Args;
use crate::command_error::CommandError;
use crate::run::{self, RunEnd, RunOptions, Watcher};
use crate::runner::Runner;
use crate::signals;

/// The hosts of `--hosts`, and the launcher that starts fathom on them.
pub struct Hosts<'a> {
    args: &'a Args,
    family: Family,
    list: Vec<HostSlots>,
}

impl<'a> Hosts<'a> {
    /// Finds the launcher.
    ///
    /// # Errors
    /// There are no hosts, or no launcher.
    pub fn find(args: &'a Args, list: Vec<HostSlots>) -> Result<Hosts<'a>, CommandError> {
        if list.is_empty() {
            let help = "help: use --hosts a,b, without mpirun or srun";
            return Err(
                format!("`run` and `sweep` require --hosts: they start the launcher once per run\n{help}").into()
            );
        }
        Ok(Hosts { args, family: launcher::family(args)?, list })
    }
}

impl Runner for Hosts<'_> {
    fn run(&self, plan: &Arc<Plan>, _: Interrupts, _: &RunOptions, _: &mut dyn Watcher) -> RunEnd {
        let made = saved(plan).and_then(|saved| {
            let request = request(self.args, Work::Plan(saved));
            launcher::run((self.args, self.family), &self.list, &request, &mut Silent)
        });
        match made {
            Ok(record) => {
                warn(&record);
                let lost = record.hosts().iter().filter_map(|host| Some((&host.name, host.failure.as_ref()?)));
                let refused = lost.map(|(name, why)| RunError::text(0, "fleet", &format!("{name}: {why}"))).collect();
                RunEnd { record, refused }
            }
            Err(message) => {
                let mut record = run::new_record(plan);
                record.ended_unix_ms = run::unix_ms();
                RunEnd { record, refused: vec![RunError::text(0, "fleet", &message)] }
            }
        }
    }

    fn is_local(&self) -> bool {
        false
    }
}

/// Returns the saved form of a plan.
fn saved(plan: &Arc<Plan>) -> Result<String, String> {
    let text = schema::write_unverified(&run::new_record(plan)).map_err(|error| error.to_string())?;
    let read = schema::read(text.as_bytes()).map_err(|error| error.to_string())?;
    if read.plan == *plan {
        return Ok(text);
    }
    Err("`run` and `sweep` do not send passwords and keys to other hosts: use fio alone".to_owned())
}

/// Returns the request of a run.
pub fn request(args: &Args, work: Work) -> Request {
    Request {
        work,
        sharing: args.sharing(),
        allows_shared_host: args.allow_shared_host,
        on_host_lost: args.on_host_lost(),
        is_quiet: args.quiet_network,
    }
}

/// The study prints a line per run.
struct Silent;

impl RunDisplay for Silent {
    fn progress(&mut self, _: &[Progress]) {}

    fn is_stopped(&mut self) -> bool {
        signals::stop_flag().load(std::sync::atomic::Ordering::Relaxed)
    }
}

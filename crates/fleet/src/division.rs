//! What a host does of a plan.

use plan::{Engine, Load, Part, Plan, Remote, Worker};
pub use record::HOST_MARK;
use serde::{Deserialize, Serialize};

/// Variable of job files with the host's name.
pub const HOST_VARIABLE: &str = "host";

/// Whether the hosts see the same targets under one path.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum Sharing {
    /// Each host has its own targets.
    #[default]
    Private,
    /// All hosts have the same targets. Each uses its own part.
    Shared,
}

/// The place of a host in a fleet.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Place {
    pub rank: usize,
    /// Names of all hosts.
    pub hosts: Vec<String>,
    pub sharing: Sharing,
}

impl Place {
    /// Returns the name of the host.
    pub fn host(&self) -> &str {
        self.hosts.get(self.rank).map_or("", String::as_str)
    }
}

/// A job whose targets cannot be divided.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{job}: {option} does not work with --shared")]
pub struct IndivisibleError {
    pub job: String,
    /// The option that prevents it.
    pub option: &'static str,
}

/// Changes a plan to the part of one host: its names, its seeds, its part of shared targets, and its logs. `own_log` returns the
/// part of a replayed log that the host has.
///
/// # Errors
/// The job has an option that cannot be divided.
pub fn divide(
    plan: &mut Plan,
    place: &Place,
    own_log: &dyn Fn(&str) -> Option<String>,
) -> Result<(), IndivisibleError> {
    let workers = plan.workers.len() as u32;
    if let Some(stem) = &mut plan.aggregate_bandwidth_log {
        name(stem, place);
    }
    for worker in &mut plan.workers {
        // The seeds of fio's jobs depend on the number.
        worker.number += place.rank as u32 * workers;
        if let Load::Threads(streams) = &mut worker.load {
            streams.seed = streams.seed.wrapping_add(u64::from(place.rank as u32 * workers));
        }
        name_paths(worker, place);
        let replay = worker.job_mut().and_then(|job| job.replay.as_mut());
        if let Some((replay, own)) = replay.and_then(|replay| own_log(&replay.log).map(|own| (replay, own))) {
            // The log is the host's part already.
            replay.log = own;
            continue;
        }
        if place.sharing == Sharing::Shared && place.hosts.len() > 1 {
            if let Some(option) = indivisible(worker) {
                return Err(IndivisibleError { job: worker.name.clone(), option });
            }
            let part = Some(Part { index: place.rank as u32, count: place.hosts.len() as u32 });
            match &mut worker.load {
                Load::Job(job) => job.targets.extent.part = part,
                Load::Threads(streams) => streams.list.iter_mut().for_each(|stream| stream.part = part),
            }
        }
    }
    Ok(())
}

fn name_paths(worker: &mut Worker, place: &Place) {
    match &mut worker.load {
        Load::Job(job) => {
            let targets = &mut job.targets;
            targets.paths.iter_mut().chain(&mut targets.opendir).for_each(|path| name(path, place));
        }
        Load::Threads(streams) => streams.list.iter_mut().for_each(|stream| name(&mut stream.path, place)),
    }
    if let Engine::Remote(Remote::Iscsi { urls, .. }) = &mut worker.engine {
        urls.iter_mut().flatten().for_each(|url| name(&mut url.0, place));
    }
    let logs = &mut worker.measure.logs;
    for stem in [&mut logs.bandwidth, &mut logs.iops, &mut logs.latency, &mut logs.histogram].into_iter().flatten() {
        name(stem, place);
    }
}

fn name(path: &mut String, place: &Place) {
    if path.contains(HOST_MARK) {
        *path = path.replace(HOST_MARK, place.host());
    }
}

/// Returns the option of a job whose targets cannot be divided.
fn indivisible(worker: &Worker) -> Option<&'static str> {
    let job = match &worker.load {
        Load::Job(job) => job,
        Load::Threads(streams) => {
            // The other hosts wait for the files of the first host before phase 0 only.
            let creates_again = worker.phase > 0 && streams.list.iter().any(|stream| stream.create.is_some());
            return creates_again.then_some("-c in a second time span");
        }
    };
    let (targets, extent) = (&job.targets, &job.targets.extent);
    let found = [
        (extent.append, "file_append"),
        (extent.fill_device, "fill_device"),
        (targets.unlink || targets.unlink_each_loop, "unlink"),
        (targets.create.on_open, "create_on_open"),
        (job.replay.is_some(), "read_iolog"),
        (job.zoned.is_some(), "zonemode=zbd"),
    ];
    found.into_iter().find_map(|(is_set, option)| is_set.then_some(option))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> Plan {
        let worker = |number| {
            let mut worker = Worker { number, ..Worker::default() };
            worker.job_mut().unwrap().targets.paths = vec!["/data/%h/file".to_owned()];
            worker
        };
        Plan { workers: vec![worker(1), worker(2)], ..Plan::default() }
    }

    fn place(rank: usize, sharing: Sharing) -> Place {
        Place { rank, hosts: vec!["a".to_owned(), "b".to_owned()], sharing }
    }

    fn no_log(_: &str) -> Option<String> {
        None
    }

    #[test]
    fn each_host_has_its_own_names_and_numbers() {
        let mut plan = plan();
        divide(&mut plan, &place(1, Sharing::Private), &no_log).unwrap();
        assert_eq!(plan.workers[1].job().unwrap().load.targets.paths, ["/data/b/file"]);
        assert_eq!(plan.workers.iter().map(|worker| worker.number).collect::<Vec<_>>(), [3, 4]);
        assert_eq!(plan.workers[0].job().unwrap().load.targets.extent.part, None);
    }

    #[test]
    fn shared_targets_are_divided() {
        let mut shared = plan();
        divide(&mut shared, &place(1, Sharing::Shared), &no_log).unwrap();
        assert_eq!(shared.workers[0].job().unwrap().load.targets.extent.part, Some(Part { index: 1, count: 2 }));
        let mut diskspd = plan();
        let stream = plan::Stream { path: "/%h.dat".to_owned(), ..plan::Stream::default() };
        let streams = plan::Streams { list: vec![stream], seed: 7, ..Default::default() };
        diskspd.workers[0].load = Load::Threads(streams);
        divide(&mut diskspd, &place(1, Sharing::Private), &no_log).unwrap();
        assert_eq!(diskspd.workers[0].stream_list()[0].path, "/b.dat");
        divide(&mut diskspd, &place(1, Sharing::Shared), &no_log).unwrap();
        assert_eq!(diskspd.workers[0].stream_list()[0].part, Some(Part { index: 1, count: 2 }));
        assert_eq!(diskspd.workers[0].streams().unwrap().seed, 7 + 2 + 2, "two workers per host, divided twice");
        diskspd.workers[0].phase = 1;
        let Load::Threads(streams) = &mut diskspd.workers[0].load else { unreachable!() };
        streams.list[0].create = Some(plan::stream::NewFile { bytes: 1 << 20, zeros: false });
        let refused = divide(&mut diskspd, &place(1, Sharing::Shared), &no_log).unwrap_err();
        assert_eq!(refused.option, "-c in a second time span");
        let mut unlinks = plan();
        unlinks.workers[1].job_mut().unwrap().targets.unlink = true;
        assert_eq!(divide(&mut unlinks, &place(1, Sharing::Shared), &no_log).unwrap_err().option, "unlink");
    }

    #[test]
    fn a_log_is_replayed_on_shared_targets_if_the_host_has_its_part() {
        let mut plan = plan();
        plan.workers.truncate(1);
        let replay = plan::Replay {
            log: "/tmp/whole".to_owned(),
            files: Vec::new(),
            redirects: true,
            rules: plan::ReplayRules::default(),
            chunked: false,
            steps: 1,
            bytes: 4096,
            largest_bytes: plan::PerDdir::default(),
        };
        plan.workers[0].job_mut().unwrap().replay = Some(replay);
        let refused = divide(&mut plan.clone(), &place(1, Sharing::Shared), &no_log).unwrap_err();
        assert_eq!(refused.option, "read_iolog");
        let own_log = |log: &str| (log == "/tmp/whole").then(|| "/tmp/part".to_owned());
        divide(&mut plan, &place(1, Sharing::Shared), &own_log).unwrap();
        let job = plan.workers[0].job().unwrap().load;
        assert_eq!(job.replay.as_ref().map(|replay| replay.log.as_str()), Some("/tmp/part"));
        assert_eq!((&job.targets.paths[0], job.targets.extent.part), (&"/data/b/file".to_owned(), None));
    }
}

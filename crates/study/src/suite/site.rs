//! Targets of a suite's tests: one for each of its volumes, or one for all.

use plan::Plan;

use crate::usage::written;

/// Start of the name of the folder for the files of a run. The id of the run follows.
pub const SCRATCH_PREFIX: &str = ".fathom-assess-";

/// A directory, file or device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// A directory for the files of the tests.
    Directory(String),
    /// A file or device.
    Path(String),
}

impl Place {
    /// Whether a file of a job is at this place.
    pub fn holds(&self, path: &str) -> bool {
        match self {
            Place::Directory(folder) => path.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/')),
            Place::Path(own) => own == path,
        }
    }
}

/// A place, with the parameters of tests on it.
#[derive(Clone, Debug)]
pub struct Site {
    /// Names of the volumes at this place.
    pub volumes: Vec<String>,
    pub place: Place,
    /// Size of each file; `None` is the whole device.
    pub size_bytes: Option<u64>,
    /// Varied block sizes below this are skipped.
    pub least_block_bytes: u64,
    /// Options of fio that override all others.
    pub last: Vec<(String, String)>,
}

impl Site {
    pub fn new(place: Place, size_bytes: Option<u64>) -> Site {
        Site { volumes: Vec::new(), place, size_bytes, least_block_bytes: 0, last: Vec::new() }
    }

    /// Whether the plan changes data at this place.
    pub fn is_written_by(&self, plan: &Plan) -> bool {
        written(plan).iter().any(|path| self.place.holds(path))
    }
}

/// The sites of a suite, at least one.
#[derive(Clone, Debug)]
pub struct Sites {
    first: Site,
    others: Vec<Site>,
}

impl Sites {
    /// Returns the sites; `None` if the list is empty.
    pub fn new(sites: Vec<Site>) -> Option<Sites> {
        let mut sites = sites.into_iter();
        Some(Sites { first: sites.next()?, others: sites.collect() })
    }

    /// One site for all volumes.
    pub fn one(site: Site) -> Sites {
        Sites { first: site, others: Vec::new() }
    }

    /// Returns the site of a volume: the one with its name, else the first.
    pub fn of(&self, volume: Option<&str>) -> &Site {
        let is_meant = |site: &&Site| volume.is_some_and(|volume| site.volumes.iter().any(|known| known == volume));
        self.iter().find(is_meant).unwrap_or(&self.first)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Site> {
        std::iter::once(&self.first).chain(&self.others)
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut Site> {
        std::iter::once(&mut self.first).chain(&mut self.others)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_volume_without_a_place_of_its_own_is_where_all_are() {
        let site = |place: &str, volumes: &[&str]| Site {
            volumes: volumes.iter().map(|name| (*name).to_owned()).collect(),
            ..Site::new(Place::Directory(place.to_owned()), None)
        };
        let both = Sites::new(vec![site("/a", &["data"]), site("/b", &["log", "temp"])]).unwrap();
        let place = |sites: &Sites, volume: Option<&str>| match &sites.of(volume).place {
            Place::Directory(path) | Place::Path(path) => path.clone(),
        };
        assert_eq!(
            [None, Some("data"), Some("temp"), Some("log")].map(|of| place(&both, of)),
            ["/a", "/a", "/b", "/b"]
        );
        assert_eq!(place(&Sites::one(site("/c", &[])), Some("log")), "/c");
        assert!(Sites::new(Vec::new()).is_none());
    }

    #[test]
    fn files_lie_in_their_own_folder_only() {
        let folder = Place::Directory("/mnt/a".into());
        assert!(folder.holds("/mnt/a/data.0") && !folder.holds("/mnt/ab/data.0") && !folder.holds("/mnt/a"));
        assert!(Place::Path("/dev/sdb".into()).holds("/dev/sdb") && !Place::Path("/dev/sdb".into()).holds("/dev/sdb1"));
    }
}

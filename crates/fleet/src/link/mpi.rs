//! The link over MPI. Its library is chosen by the launcher that started this process.

use std::collections::BTreeMap;

use os::MpiError;
use os::mpi::{MESSAGE_BYTES, Mpi};

use super::{Link, LinkError};

/// Names a library in place of the usual ones.
const LIBRARY_VARIABLE: &str = "FATHOM_MPI_LIBRARY";
const OPEN_MPI: [&str; 2] = ["libmpi.so.40", "libopenmpi.so.40"];
/// MPICH, and Intel MPI with MPICH's binary interface.
const MPICH: [&str; 2] = ["libmpich.so.12", "libmpi.so.12"];
/// The binary interface of the MPI 5.0 standard.
const STANDARD: [&str; 1] = ["libmpi_abi.so.1"];

/// Variables with the number of processes, by launcher.
const SIZE_VARIABLES: [&str; 3] = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"];
/// Variables that only Open MPI and PMIx set.
const PMIX_VARIABLES: [&str; 2] = ["OMPI_COMM_WORLD_SIZE", "PMIX_NAMESPACE"];
/// Variables that only MPICH's Hydra, Intel MPI and Slurm's PMI-1 and PMI-2 set.
const PMI_VARIABLES: [&str; 2] = ["PMI_SIZE", "PMI_FD"];

/// Bytes before each part of a message: the sender, and whether it is the last part.
const HEADER_BYTES: usize = 5;

/// The processes of a launcher.
pub struct MpiLink {
    mpi: Mpi,
    /// Parts of messages that are not complete, by sender.
    parts: BTreeMap<usize, Vec<u8>>,
}

/// Returns true if a launcher of MPI programs started this process.
pub fn is_launched() -> bool {
    PMIX_VARIABLES.iter().chain(&PMI_VARIABLES).any(|name| std::env::var_os(name).is_some())
}

impl MpiLink {
    /// Connects to the other processes of the launcher. This must be the process's only thread.
    ///
    /// # Errors
    /// There is no library for the launcher, or the library is of another launcher.
    pub fn connect() -> Result<MpiLink, LinkError> {
        let variable = |name: &str| std::env::var(name).ok();
        let mpi = Mpi::load(&libraries(&variable)).map_err(of_mpi)?;
        log::debug!("rank {} of {}, {:?}", mpi.rank(), mpi.size(), mpi.version());
        check_size(mpi.size(), &variable)?;
        Ok(MpiLink { mpi, parts: BTreeMap::new() })
    }
}

fn of_mpi(error: MpiError) -> LinkError {
    LinkError(error.0)
}

/// Returns the libraries to try, in order.
fn libraries(variable: &dyn Fn(&str) -> Option<String>) -> Vec<String> {
    if let Some(path) = variable(LIBRARY_VARIABLE) {
        return vec![path];
    }
    let is_set = |names: &[&str]| names.iter().any(|name| variable(name).is_some());
    // A library under the launcher of another family finds itself alone.
    let names: Vec<&str> = if is_set(&PMIX_VARIABLES) || !is_set(&PMI_VARIABLES) {
        OPEN_MPI.into_iter().chain(STANDARD).collect()
    } else {
        MPICH.into_iter().chain(STANDARD).collect()
    };
    names.into_iter().map(str::to_owned).collect()
}

/// Compares the number of processes with the launcher's.
fn check_size(size: u32, variable: &dyn Fn(&str) -> Option<String>) -> Result<(), LinkError> {
    for name in SIZE_VARIABLES {
        let Some(launched) = variable(name).and_then(|text| text.parse::<u32>().ok()) else { continue };
        if launched != size {
            let library = format!("set {LIBRARY_VARIABLE} to the library of the launcher");
            return Err(LinkError(format!(
                "the launcher started {launched} processes ({name}), but MPI connects {size}: {library}"
            )));
        }
        return Ok(());
    }
    Ok(())
}

impl Link for MpiLink {
    fn rank(&self) -> usize {
        self.mpi.rank() as usize
    }

    fn size(&self) -> usize {
        self.mpi.size() as usize
    }

    fn name(&self) -> String {
        self.mpi.version().to_owned()
    }

    fn send(&mut self, to: usize, message: &[u8]) -> Result<(), LinkError> {
        log::trace!("{} bytes to rank {to}", message.len());
        let parts = message.len().div_ceil(MESSAGE_BYTES - HEADER_BYTES).max(1);
        for nth in 0..parts {
            let from = nth * (MESSAGE_BYTES - HEADER_BYTES);
            let until = message.len().min(from + MESSAGE_BYTES - HEADER_BYTES);
            let mut part = self.mpi.rank().to_le_bytes().to_vec();
            part.push(u8::from(nth + 1 == parts));
            part.extend_from_slice(&message[from..until]);
            self.mpi.send(to as u32, &part).map_err(of_mpi)?;
        }
        Ok(())
    }

    fn try_recv(&mut self) -> Result<Option<(usize, Vec<u8>)>, LinkError> {
        while let Some(part) = self.mpi.try_receive().map_err(of_mpi)? {
            let Some((&[a, b, c, d, is_last], content)) = part.split_first_chunk::<HEADER_BYTES>() else {
                return Err(LinkError("a message without a sender arrived".to_owned()));
            };
            let from = u32::from_le_bytes([a, b, c, d]) as usize;
            let message = self.parts.entry(from).or_default();
            message.extend_from_slice(content);
            if is_last == 1 {
                log::trace!("{} bytes from rank {from}", message.len());
                return Ok(Some((from, std::mem::take(message))));
            }
        }
        Ok(None)
    }

    fn disconnect(self: Box<Self>, exit_code: u8) -> Result<(), LinkError> {
        self.mpi.finalize(exit_code).map_err(of_mpi)
    }

    fn abort(self: Box<Self>) {
        self.mpi.abort(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn under(variables: &'static [(&str, &str)]) -> impl Fn(&str) -> Option<String> {
        move |name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
    }

    #[test]
    fn the_launcher_determines_the_library() {
        assert_eq!(libraries(&under(&[("OMPI_COMM_WORLD_SIZE", "2")]))[0], "libmpi.so.40");
        assert_eq!(libraries(&under(&[("PMI_SIZE", "2"), ("PMI_RANK", "0")]))[0], "libmpich.so.12");
        assert_eq!(libraries(&under(&[("PMI_FD", "7"), ("PMIX_NAMESPACE", "a")]))[0], "libmpi.so.40");
        assert_eq!(libraries(&under(&[("PMI_FD", "7"), (LIBRARY_VARIABLE, "/a/b.so")])), ["/a/b.so"]);
    }

    #[test]
    fn a_library_of_another_launcher_is_refused() {
        let error = check_size(1, &under(&[("PMI_SIZE", "4")])).unwrap_err();
        assert!(error.0.contains("4 processes (PMI_SIZE), but MPI connects 1"), "{error}");
        assert_eq!(check_size(4, &under(&[("PMI_SIZE", "4"), ("SLURM_NTASKS", "8")])), Ok(()));
    }
}

//! Libraries that are loaded when a job needs them.

use std::sync::OnceLock;

use libloading::Library;

use crate::io::{BackendError, EngineKind};

/// A library that was loaded.
pub struct Loaded {
    library: &'static Library,
    /// Index of the file name that was found.
    pub file: usize,
}

/// The functions of a library, found when they are first needed.
pub struct Functions<A> {
    files: &'static [&'static str],
    package: &'static str,
    find: fn(&Loaded) -> Result<A, LibraryError>,
    found: OnceLock<Result<A, LibraryError>>,
}

/// What is missing: the library, or a function of it.
#[derive(Debug)]
pub struct LibraryError(String);

impl<A> Functions<A> {
    /// Functions of the library with one of the names `files`, the newest first, of a package of Debian.
    pub const fn new(
        files: &'static [&'static str],
        package: &'static str,
        find: fn(&Loaded) -> Result<A, LibraryError>,
    ) -> Self {
        Functions { files, package, find, found: OnceLock::new() }
    }

    /// Returns the functions.
    ///
    /// # Errors
    /// The library could not be loaded, or lacks a function.
    pub fn of(&'static self, engine: EngineKind) -> Result<&'static A, BackendError> {
        let found = self.found.get_or_init(|| (self.find)(&load(self.files, self.package)?));
        found.as_ref().map_err(|what| BackendError::new(engine, what.0.clone()))
    }
}

/// Loads a library. It stays loaded until the process ends: its threads and handlers at exit need its code.
fn load(files: &[&str], package: &str) -> Result<Loaded, LibraryError> {
    let mut reason = String::new();
    for (at, file) in files.iter().enumerate() {
        // SAFETY: the initializers of these libraries have no requirements.
        match unsafe { Library::new(*file) } {
            Ok(library) => return Ok(Loaded { library: Box::leak(Box::new(library)), file: at }),
            Err(error) => reason = error.to_string(),
        }
    }
    let files = files.join(" or ");
    Err(LibraryError(format!("cannot load {files} of the package {package}: {reason}")))
}

/// Returns the address of a function as a pointer of type `F`.
///
/// # Errors
/// The library does not have the function.
///
/// # Safety
/// `F` is the type of the function with this name.
pub unsafe fn function<F: Copy>(from: &Loaded, name: &str) -> Result<F, LibraryError> {
    // SAFETY: by the contract of this function.
    let found = unsafe { from.library.get::<F>(name.as_bytes()) };
    found.map(|symbol| *symbol).map_err(|error| LibraryError(format!("the library has no function {name}: {error}")))
}

/// Declares the functions of a library, and `find`, which returns them.
#[macro_export]
macro_rules! functions {
    ($(#[$note:meta])* $vis:vis struct $api:ident; $($name:ident: fn($($argument:ty),* $(,)?) $(-> $result:ty)?;)*) => {
        $(#[$note])*
        $vis struct $api {
            $($vis $name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
        }

        impl $api {
            fn find(library: &$crate::library::Loaded) -> Result<Self, $crate::library::LibraryError> {
                Ok($api {
                    // SAFETY: the types are those of the library's header.
                    $($name: unsafe { $crate::library::function(library, stringify!($name))? },)*
                })
            }
        }
    };
}

pub use crate::functions;

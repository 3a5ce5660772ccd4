//! Libraries that are loaded when a job needs them.

pub use libloading::Library;

use crate::io::{BackendError, EngineKind};

/// Names of a shared library, with the package of Debian that has it.
pub struct Names {
    /// File names, the newest first.
    pub files: &'static [&'static str],
    pub package: &'static str,
}

/// A library that was loaded.
pub struct Loaded {
    pub library: &'static Library,
    /// Index of the file name that was found.
    pub file: usize,
}

/// What is missing: the library, or a function of it.
#[derive(Debug)]
pub struct LibraryError(String);

/// Loads a library. It stays loaded until the process ends: its threads and handlers at exit need its code.
///
/// # Errors
/// No file can be loaded.
pub fn load(names: &Names) -> Result<Loaded, LibraryError> {
    let mut reason = String::new();
    for (at, file) in names.files.iter().enumerate() {
        // SAFETY: the initializers of these libraries have no requirements.
        match unsafe { Library::new(*file) } {
            Ok(library) => return Ok(Loaded { library: Box::leak(Box::new(library)), file: at }),
            Err(error) => reason = error.to_string(),
        }
    }
    let files = names.files.join(" or ");
    Err(LibraryError(format!("cannot load {files} of the package {}: {reason}", names.package)))
}

/// Returns the address of a function as a pointer of type `F`.
///
/// # Errors
/// The library does not have the function.
///
/// # Safety
/// `F` is the type of the function with this name.
pub unsafe fn function<F: Copy>(library: &'static Library, name: &str) -> Result<F, LibraryError> {
    // SAFETY: by the contract of this function.
    let found = unsafe { library.get::<F>(name.as_bytes()) };
    found.map(|symbol| *symbol).map_err(|error| LibraryError(format!("the library has no function {name}: {error}")))
}

/// Returns the functions of a library that was loaded before, or the error.
///
/// # Errors
/// The library could not be loaded.
pub fn loaded<A>(engine: EngineKind, api: &'static Result<A, LibraryError>) -> Result<&'static A, BackendError> {
    api.as_ref().map_err(|what| BackendError::new(engine, what.0.clone()))
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
            fn find(library: &'static $crate::library::Library) -> Result<Self, $crate::library::LibraryError> {
                Ok($api {
                    // SAFETY: the types are those of the library's header.
                    $($name: unsafe { $crate::library::function(library, stringify!($name))? },)*
                })
            }
        }
    };
}

pub use crate::functions;

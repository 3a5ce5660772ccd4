//! The parts of libcurl that the `http` engine uses.

use std::ffi::{CStr, CString, c_char, c_int, c_long, c_void};
use std::io;
use std::sync::OnceLock;

use crate::io::{BackendError, EngineKind};
use crate::linux::io::library::{Names, function, functions, load, loaded};

const LIBRARY: Names = Names { files: &["libcurl.so.4", "libcurl-gnutls.so.4"], package: "libcurl4 (or libcurl4t64)" };
/// `CURL_GLOBAL_ALL`.
const GLOBAL_ALL: c_long = 3;
/// `CURLINFO_RESPONSE_CODE`.
const RESPONSE_CODE: c_int = 0x20_0002;

pub(super) enum Handle {}
pub(super) enum List {}

/// Options of `curl_easy_setopt`, with the type of their values in the thousands.
pub(super) mod option {
    use std::ffi::{c_int, c_long};

    const POINTER: c_int = 10_000;
    const FUNCTION: c_int = 20_000;
    const OFFSET: c_int = 30_000;
    pub(in super::super) const WRITE_DATA: c_int = POINTER + 1;
    pub(in super::super) const URL: c_int = POINTER + 2;
    pub(in super::super) const READ_DATA: c_int = POINTER + 9;
    pub(in super::super) const WRITE_FUNCTION: c_int = FUNCTION + 11;
    pub(in super::super) const READ_FUNCTION: c_int = FUNCTION + 12;
    pub(in super::super) const HTTP_HEADER: c_int = POINTER + 23;
    pub(in super::super) const CUSTOM_REQUEST: c_int = POINTER + 36;
    pub(in super::super) const VERBOSE: c_int = 41;
    pub(in super::super) const NO_PROGRESS: c_int = 43;
    pub(in super::super) const NO_BODY: c_int = 44;
    pub(in super::super) const UPLOAD: c_int = 46;
    pub(in super::super) const FOLLOW_LOCATION: c_int = 52;
    pub(in super::super) const SSL_VERIFY_PEER: c_int = 64;
    pub(in super::super) const HTTP_GET: c_int = 80;
    pub(in super::super) const SSL_VERIFY_HOST: c_int = 81;
    pub(in super::super) const DEBUG_FUNCTION: c_int = FUNCTION + 94;
    pub(in super::super) const NO_SIGNAL: c_int = 99;
    pub(in super::super) const HTTP_AUTH: c_int = 107;
    pub(in super::super) const INFILE_SIZE: c_int = OFFSET + 115;
    pub(in super::super) const SEEK_FUNCTION: c_int = FUNCTION + 167;
    pub(in super::super) const SEEK_DATA: c_int = POINTER + 168;
    pub(in super::super) const USER_NAME: c_int = POINTER + 173;
    pub(in super::super) const PASSWORD: c_int = POINTER + 174;
    pub(in super::super) const PROTOCOLS: c_int = 181;
    /// Bits of `PROTOCOLS`.
    pub(in super::super) const PROTOCOL_HTTP: c_long = 1;
    pub(in super::super) const PROTOCOL_HTTPS: c_long = 2;
    /// All methods of authentication, without the digest of old browsers.
    pub(in super::super) const AUTH_ANY: c_long = !(1 << 4);
}

functions! {
    pub(super) struct Api;
    curl_global_init: fn(c_long) -> c_int;
    curl_easy_init: fn() -> *mut Handle;
    curl_easy_cleanup: fn(*mut Handle);
    curl_easy_perform: fn(*mut Handle) -> c_int;
    curl_easy_strerror: fn(c_int) -> *const c_char;
    curl_slist_append: fn(*mut List, *const c_char) -> *mut List;
    curl_slist_free_all: fn(*mut List);
}

/// Functions whose last argument has the type of the option.
struct Variadic {
    set: unsafe extern "C" fn(*mut Handle, c_int, ...) -> c_int,
    get: unsafe extern "C" fn(*mut Handle, c_int, ...) -> c_int,
}

/// A connection of libcurl.
pub(super) struct Curl {
    pub(super) api: &'static Api,
    variadic: &'static Variadic,
    handle: *mut Handle,
}

fn api(engine: EngineKind) -> Result<&'static (Api, Variadic), BackendError> {
    static API: OnceLock<Result<(Api, Variadic), String>> = OnceLock::new();
    let find = || {
        let library = load(&LIBRARY)?.library;
        let api = Api::find(library)?;
        // SAFETY: the types are those of the library's header.
        let variadic = unsafe {
            Variadic { set: function(library, "curl_easy_setopt")?, get: function(library, "curl_easy_getinfo")? }
        };
        // SAFETY: the lock runs this once.
        unsafe { (api.curl_global_init)(GLOBAL_ALL) };
        Ok((api, variadic))
    };
    loaded(engine, API.get_or_init(find))
}

pub(super) fn probe(engine: EngineKind) -> Result<(), BackendError> {
    api(engine).map(drop)
}

impl Curl {
    pub(super) fn open(engine: EngineKind) -> Result<Self, BackendError> {
        let (api, variadic) = api(engine)?;
        // SAFETY: no arguments.
        let handle = unsafe { (api.curl_easy_init)() };
        if handle.is_null() {
            return Err(BackendError::new(engine, "libcurl has no memory for a connection"));
        }
        Ok(Curl { api, variadic, handle })
    }

    /// Sets an option with a number.
    pub(super) fn set_number(&self, option: c_int, value: c_long) -> io::Result<()> {
        // SAFETY: the option has this type.
        self.outcome(unsafe { (self.variadic.set)(self.handle, option, value) })
    }

    /// Sets an option with a size.
    pub(super) fn set_size(&self, option: c_int, value: i64) -> io::Result<()> {
        // SAFETY: the option has this type.
        self.outcome(unsafe { (self.variadic.set)(self.handle, option, value) })
    }

    /// Sets an option with a text, which libcurl copies.
    pub(super) fn set_text(&self, option: c_int, value: &str) -> io::Result<()> {
        let value = CString::new(value)?;
        // SAFETY: the option has this type.
        self.outcome(unsafe { (self.variadic.set)(self.handle, option, value.as_ptr()) })
    }

    /// Sets an option with a pointer or a function. Its target exists during the requests.
    pub(super) fn set_pointer(&self, option: c_int, value: *const c_void) -> io::Result<()> {
        // SAFETY: the option has this type.
        self.outcome(unsafe { (self.variadic.set)(self.handle, option, value) })
    }

    /// Makes the request.
    ///
    /// # Errors
    /// Returns libcurl's number of the error.
    pub(super) fn perform(&self) -> Result<(), c_int> {
        // SAFETY: the handle is valid.
        match unsafe { (self.api.curl_easy_perform)(self.handle) } {
            0 => Ok(()),
            code => Err(code),
        }
    }

    /// Returns the status of the last answer.
    pub(super) fn status(&self) -> c_long {
        let mut status: c_long = 0;
        // SAFETY: the information has this type.
        unsafe { (self.variadic.get)(self.handle, RESPONSE_CODE, &raw mut status) };
        status
    }

    /// Returns the description of an error.
    pub(super) fn describe(&self, code: c_int) -> String {
        // SAFETY: the library returns a text that ends with a zero byte.
        unsafe { CStr::from_ptr((self.api.curl_easy_strerror)(code)) }.to_string_lossy().into_owned()
    }

    fn outcome(&self, code: c_int) -> io::Result<()> {
        if code == 0 { Ok(()) } else { Err(io::Error::other(self.describe(code))) }
    }
}

impl Drop for Curl {
    fn drop(&mut self) {
        // SAFETY: the handle is not used again.
        unsafe { (self.api.curl_easy_cleanup)(self.handle) };
    }
}

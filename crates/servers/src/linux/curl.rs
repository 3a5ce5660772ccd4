//! The parts of libcurl that the `http` engine uses.

use std::ffi::{CStr, CString, c_char, c_int, c_long, c_void};
use std::io;

use os::io::{BackendError, EngineKind};
use os::library::{Functions, function, functions};

/// `CURL_GLOBAL_ALL`.
const GLOBAL_ALL: c_long = 3;
/// `CURLINFO_RESPONSE_CODE`.
const RESPONSE_CODE: c_int = 0x20_0002;

pub(crate) enum Handle {}
pub(crate) enum List {}

/// Options of `curl_easy_setopt`, with the type of their values in the thousands.
pub(crate) mod option {
    use std::ffi::{c_int, c_long};

    const POINTER: c_int = 10_000;
    const FUNCTION: c_int = 20_000;
    const OFFSET: c_int = 30_000;
    pub(crate) const WRITE_DATA: c_int = POINTER + 1;
    pub(crate) const URL: c_int = POINTER + 2;
    pub(crate) const READ_DATA: c_int = POINTER + 9;
    pub(crate) const WRITE_FUNCTION: c_int = FUNCTION + 11;
    pub(crate) const READ_FUNCTION: c_int = FUNCTION + 12;
    pub(crate) const HTTP_HEADER: c_int = POINTER + 23;
    pub(crate) const CUSTOM_REQUEST: c_int = POINTER + 36;
    pub(crate) const VERBOSE: c_int = 41;
    pub(crate) const NO_PROGRESS: c_int = 43;
    pub(crate) const NO_BODY: c_int = 44;
    pub(crate) const UPLOAD: c_int = 46;
    pub(crate) const FOLLOW_LOCATION: c_int = 52;
    pub(crate) const SSL_VERIFY_PEER: c_int = 64;
    pub(crate) const HTTP_GET: c_int = 80;
    pub(crate) const SSL_VERIFY_HOST: c_int = 81;
    pub(crate) const DEBUG_FUNCTION: c_int = FUNCTION + 94;
    pub(crate) const NO_SIGNAL: c_int = 99;
    pub(crate) const HTTP_AUTH: c_int = 107;
    pub(crate) const INFILE_SIZE: c_int = OFFSET + 115;
    pub(crate) const SEEK_FUNCTION: c_int = FUNCTION + 167;
    pub(crate) const SEEK_DATA: c_int = POINTER + 168;
    pub(crate) const USER_NAME: c_int = POINTER + 173;
    pub(crate) const PASSWORD: c_int = POINTER + 174;
    pub(crate) const PROTOCOLS: c_int = 181;
    /// Bits of `PROTOCOLS`.
    pub(crate) const PROTOCOL_HTTP: c_long = 1;
    pub(crate) const PROTOCOL_HTTPS: c_long = 2;
    /// All methods of authentication, without the digest of old browsers.
    pub(crate) const AUTH_ANY: c_long = !(1 << 4);
}

functions! {
    pub(crate) struct Api;
    curl_global_init: fn(c_long) -> c_int;
    curl_easy_init: fn() -> *mut Handle;
    curl_easy_cleanup: fn(*mut Handle);
    curl_easy_perform: fn(*mut Handle) -> c_int;
    curl_easy_strerror: fn(c_int) -> *const c_char;
    curl_slist_append: fn(*mut List, *const c_char) -> *mut List;
    curl_slist_free_all: fn(*mut List);
}

/// Functions whose last argument has the type of the option.
pub(super) struct Variadic {
    set: unsafe extern "C" fn(*mut Handle, c_int, ...) -> c_int,
    get: unsafe extern "C" fn(*mut Handle, c_int, ...) -> c_int,
}

/// A connection of libcurl.
pub(crate) struct Curl {
    pub(crate) api: &'static Api,
    variadic: &'static Variadic,
    handle: *mut Handle,
}

pub(super) static API: Functions<(Api, Variadic)> =
    Functions::new(&["libcurl.so.4", "libcurl-gnutls.so.4"], "libcurl4 (or libcurl4t64)", |library| {
        let api = Api::find(library)?;
        // SAFETY: the types are those of the library's header.
        let variadic = unsafe {
            Variadic { set: function(library, "curl_easy_setopt")?, get: function(library, "curl_easy_getinfo")? }
        };
        // SAFETY: the lock runs this once.
        unsafe { (api.curl_global_init)(GLOBAL_ALL) };
        Ok((api, variadic))
    });

impl Curl {
    pub(crate) fn open(engine: EngineKind) -> Result<Self, BackendError> {
        let (api, variadic) = API.of(engine)?;
        // SAFETY: no arguments.
        let handle = unsafe { (api.curl_easy_init)() };
        if handle.is_null() {
            return Err(BackendError::new(engine, "libcurl has no memory for a connection"));
        }
        Ok(Curl { api, variadic, handle })
    }

    /// Sets an option with a number.
    pub(crate) fn set_number(&self, option: c_int, value: c_long) -> io::Result<()> {
        // SAFETY: the option has this type.
        self.outcome(unsafe { (self.variadic.set)(self.handle, option, value) })
    }

    /// Sets an option with a size.
    pub(crate) fn set_size(&self, option: c_int, value: i64) -> io::Result<()> {
        // SAFETY: the option has this type.
        self.outcome(unsafe { (self.variadic.set)(self.handle, option, value) })
    }

    /// Sets an option with a text, which libcurl copies.
    pub(crate) fn set_text(&self, option: c_int, value: &str) -> io::Result<()> {
        let value = CString::new(value)?;
        // SAFETY: the option has this type.
        self.outcome(unsafe { (self.variadic.set)(self.handle, option, value.as_ptr()) })
    }

    /// Sets an option with a pointer or a function. Its target exists during the requests.
    pub(crate) fn set_pointer(&self, option: c_int, value: *const c_void) -> io::Result<()> {
        // SAFETY: the option has this type.
        self.outcome(unsafe { (self.variadic.set)(self.handle, option, value) })
    }

    /// Makes the request.
    ///
    /// # Errors
    /// Returns libcurl's number of the error.
    pub(crate) fn perform(&self) -> Result<(), c_int> {
        // SAFETY: the handle is valid.
        match unsafe { (self.api.curl_easy_perform)(self.handle) } {
            0 => Ok(()),
            code => Err(code),
        }
    }

    /// Returns the status of the last answer.
    pub(crate) fn status(&self) -> c_long {
        let mut status: c_long = 0;
        // SAFETY: the information has this type.
        unsafe { (self.variadic.get)(self.handle, RESPONSE_CODE, &raw mut status) };
        status
    }

    /// Returns the description of an error.
    pub(crate) fn describe(&self, code: c_int) -> String {
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

//! `http`: objects of a WebDAV, S3 or Swift server, by libcurl. Each transfer is a request on the worker's thread.

use std::ffi::{CString, c_char, c_int, c_long, c_void};
use std::io::{self, Write};
use std::ptr::{null, null_mut};
use std::time::{Duration, SystemTime};

use md5::{Digest, Md5};

use super::curl::{Curl, Handle, List, option};
use super::request::Requests;
use super::s3;
use super::service::Service;
use ::io::{Http as HttpConfig, HttpServer, Tls};
use os::io::{BackendConfig, BackendError, RemoteConfig, RemoteTarget};
use os::io::{IoResult, Kind, Op};

/// Errors of libcurl.
const COULD_NOT_RESOLVE: c_int = 6;
const COULD_NOT_CONNECT: c_int = 7;
const TIMED_OUT: c_int = 28;
const OUT_OF_MEMORY: c_int = 27;
/// Result of the function for the data of a request: the transfer fails.
const SEEK_FAILED: c_int = 1;

pub(crate) struct Http {
    curl: Curl,
    config: HttpConfig,
    /// Encoded paths of the targets.
    paths: Vec<String>,
}

/// The data of a transfer.
struct Body {
    data: *mut u8,
    len: usize,
    at: usize,
    /// The answer was longer than the data.
    is_exceeded: bool,
}

/// Methods of requests.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Method {
    Get,
    Put,
    Delete,
}

impl Method {
    fn name(self) -> &'static str {
        match self {
            Method::Get => "GET",
            Method::Put => "PUT",
            Method::Delete => "DELETE",
        }
    }
}

impl Http {
    /// Prepares a connection. libcurl connects at the first request.
    pub(crate) fn open(config: &BackendConfig, remote: &RemoteConfig, http: &HttpConfig) -> Result<Self, BackendError> {
        let curl = Curl::open(config.engine)?;
        let with_slash = |name: &String| if name.starts_with('/') { name.clone() } else { format!("/{name}") };
        let paths = remote.names.iter().map(|name| s3::encode_path(&with_slash(name))).collect();
        let http = Http { curl, config: http.clone(), paths };
        http.set_up().map_err(|error| BackendError::caused(config.engine, "libcurl refuses an option", error))?;
        Ok(http)
    }

    /// Sets the options of all requests.
    fn set_up(&self) -> io::Result<()> {
        let (curl, config) = (&self.curl, &self.config);
        curl.set_number(option::NO_SIGNAL, 1)?;
        curl.set_number(option::NO_PROGRESS, 1)?;
        curl.set_number(option::FOLLOW_LOCATION, 1)?;
        curl.set_number(option::PROTOCOLS, option::PROTOCOL_HTTP | option::PROTOCOL_HTTPS)?;
        if config.tls == Tls::Insecure {
            curl.set_number(option::SSL_VERIFY_PEER, 0)?;
            curl.set_number(option::SSL_VERIFY_HOST, 0)?;
        }
        if let (Some(user), Some(password)) = (&config.user, &config.password) {
            curl.set_text(option::USER_NAME, user)?;
            curl.set_text(option::PASSWORD, &password.0)?;
            curl.set_number(option::HTTP_AUTH, option::AUTH_ANY)?;
        }
        curl.set_number(option::VERBOSE, c_long::from(config.verbosity > 0))?;
        if config.verbosity > 1 {
            curl.set_pointer(option::DEBUG_FUNCTION, trace as *const c_void)?;
        }
        curl.set_pointer(option::READ_FUNCTION, send as *const c_void)?;
        curl.set_pointer(option::WRITE_FUNCTION, receive as *const c_void)?;
        curl.set_pointer(option::SEEK_FUNCTION, seek as *const c_void)
    }

    /// Checks that the server answers. The job determines the sizes of its objects, as in fio.
    pub(crate) fn examine(&self, config: &BackendConfig) -> Result<Vec<RemoteTarget>, BackendError> {
        let url = self.url("/");
        let failed = |code: c_int| {
            let what = format!("cannot reach {url}: {}", self.curl.describe(code));
            BackendError::caused(config.engine, what, io::Error::from_raw_os_error(errno_of(code)))
        };
        let refused = |error| BackendError::caused(config.engine, "libcurl refuses an option", error);
        self.curl.set_text(option::URL, &url).map_err(refused)?;
        self.curl.set_number(option::NO_BODY, 1).map_err(refused)?;
        self.curl.perform().map_err(failed)?;
        Ok(self.paths.iter().map(|_| RemoteTarget::default()).collect())
    }

    fn url(&self, path: &str) -> String {
        let scheme = if self.config.tls == Tls::Off { "http" } else { "https" };
        format!("{scheme}://{}{path}", self.config.host)
    }

    /// Returns the path of the object of an operation.
    fn object(&self, op: &Op) -> String {
        let path = &self.paths[op.file as usize];
        if self.config.has_one_object { path.clone() } else { format!("{path}_{}_{}", op.offset, op.len) }
    }

    /// Makes the request of an operation on the `len` bytes at `data`. Returns its result.
    fn request(&self, op: &Op, method: Method, data: *mut u8) -> io::Result<u32> {
        let path = self.object(op);
        let sent = if method == Method::Put { op.len as usize } else { 0 };
        // SAFETY: the slot has `len` bytes at `data`. Nothing changes them during the operation.
        let bytes: &[u8] = if sent == 0 { &[] } else { unsafe { std::slice::from_raw_parts(data, sent) } };
        let mut headers = Vec::new();
        if method == Method::Get && self.config.has_one_object {
            headers.push(format!("Range: bytes={}-{}", op.offset, op.offset + u64::from(op.len) - 1));
        }
        headers.extend(self.server_headers(method, &path, bytes));
        let headers = Headers::new(&self.curl, &headers)?;
        let mut body = Body { data, len: op.len as usize, at: 0, is_exceeded: false };
        let stream = (&raw mut body).cast::<c_void>();
        let (from, to) = match method {
            Method::Get => (null_mut(), stream),
            Method::Put => (stream, null_mut()),
            Method::Delete => (null_mut(), null_mut()),
        };
        let curl = &self.curl;
        curl.set_text(option::URL, &self.url(&path))?;
        curl.set_pointer(option::HTTP_HEADER, headers.list.cast())?;
        curl.set_pointer(option::READ_DATA, from)?;
        curl.set_pointer(option::SEEK_DATA, from)?;
        curl.set_pointer(option::WRITE_DATA, to)?;
        curl.set_pointer(option::CUSTOM_REQUEST, null())?;
        match method {
            Method::Put => curl.set_number(option::UPLOAD, 1)?,
            Method::Get | Method::Delete => curl.set_number(option::HTTP_GET, 1)?,
        }
        if method == Method::Delete {
            curl.set_text(option::CUSTOM_REQUEST, method.name())?;
        }
        curl.set_size(option::INFILE_SIZE, i64::try_from(sent).unwrap_or(i64::MAX))?;
        curl.perform().map_err(|code| io::Error::from_raw_os_error(errno_of(code)))?;
        self.outcome(op, method, &mut body)
    }

    /// Returns the headers that the kind of server requires.
    fn server_headers(&self, method: Method, path: &str, body: &[u8]) -> Vec<String> {
        match &self.config.server {
            HttpServer::WebDav => Vec::new(),
            HttpServer::S3(config) => {
                let time_s = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
                let request = s3::Request { method: method.name(), host: &self.config.host, path, body, time_s };
                let signed = s3::headers(config, &request);
                let lines = signed.into_iter().map(|(name, value)| format!("{name}: {value}"));
                // Without a value, libcurl does not send its own `Accept`.
                std::iter::once("Accept:".to_owned()).chain(lines).collect()
            }
            HttpServer::Swift { token } => {
                let mut lines = vec!["Accept:".to_owned(), format!("x-auth-token: {}", token.0)];
                if method == Method::Put {
                    lines.push(format!("etag: {}", s3::hex(&Md5::digest(body))));
                }
                lines
            }
        }
    }

    /// Returns the result of a request that the server has answered.
    fn outcome(&self, op: &Op, method: Method, body: &mut Body) -> io::Result<u32> {
        let status = self.curl.status();
        match (method, status) {
            (Method::Put, 100 | 200..=204) => Ok(op.len),
            (Method::Delete, 200 | 202 | 204 | 404) => Ok(0),
            // As in fio, an object that does not exist has zeroes.
            (Method::Get, 404) => {
                // SAFETY: the slot has this number of bytes.
                unsafe { body.data.write_bytes(0, body.len) };
                Ok(op.len)
            }
            (Method::Get, 200) if !self.config.has_one_object || op.offset == 0 => received(op, body),
            (Method::Get, 206) if self.config.has_one_object => {
                op.moved(body.at as u64).map_err(io::Error::from_raw_os_error)
            }
            (_, 401 | 403) => Err(io::Error::from_raw_os_error(libc::EACCES)),
            (_, 404) => Err(io::Error::from_raw_os_error(libc::ENOENT)),
            (_, 507) => Err(io::Error::from_raw_os_error(libc::ENOSPC)),
            _ => Err(io::Error::from_raw_os_error(libc::EIO)),
        }
    }
}

/// Returns the result of a read of a whole object. An object of another length is an error.
fn received(op: &Op, body: &Body) -> io::Result<u32> {
    if body.is_exceeded || body.at != body.len {
        return Err(io::Error::from_raw_os_error(libc::EIO));
    }
    Ok(op.len)
}

/// Returns the errno of an error of libcurl.
fn errno_of(code: c_int) -> i32 {
    match code {
        COULD_NOT_RESOLVE => libc::EHOSTUNREACH,
        COULD_NOT_CONNECT => libc::ECONNREFUSED,
        TIMED_OUT => libc::ETIMEDOUT,
        OUT_OF_MEMORY => libc::ENOMEM,
        _ => libc::EIO,
    }
}

/// The headers of a request.
struct Headers<'a> {
    curl: &'a Curl,
    list: *mut List,
}

impl<'a> Headers<'a> {
    fn new(curl: &'a Curl, lines: &[String]) -> io::Result<Self> {
        let mut headers = Headers { curl, list: null_mut() };
        for line in lines {
            let line = CString::new(line.as_str())?;
            // SAFETY: the list is the library's or empty, and the text ends with a zero byte.
            let list = unsafe { (curl.api.curl_slist_append)(headers.list, line.as_ptr()) };
            if list.is_null() {
                return Err(io::ErrorKind::OutOfMemory.into());
            }
            headers.list = list;
        }
        Ok(headers)
    }
}

impl Drop for Headers<'_> {
    fn drop(&mut self) {
        // SAFETY: the request has ended, and the next one sets its own list.
        unsafe { (self.curl.api.curl_slist_free_all)(self.list) };
    }
}

/// Copies data of a request to libcurl.
unsafe extern "C" fn send(to: *mut c_char, size: usize, count: usize, body: *mut c_void) -> usize {
    if body.is_null() {
        return 0;
    }
    // SAFETY: the argument is the body of the request, and libcurl has `size * count` bytes.
    unsafe {
        let body = &mut *body.cast::<Body>();
        let bytes = (size * count).min(body.len - body.at);
        to.cast::<u8>().copy_from_nonoverlapping(body.data.add(body.at), bytes);
        body.at += bytes;
        bytes
    }
}

/// Copies data of an answer. What exceeds the data of the operation is dropped.
unsafe extern "C" fn receive(from: *const c_char, size: usize, count: usize, body: *mut c_void) -> usize {
    if body.is_null() {
        return size * count;
    }
    // SAFETY: as for `send`.
    unsafe {
        let body = &mut *body.cast::<Body>();
        let bytes = (size * count).min(body.len - body.at);
        body.data.add(body.at).copy_from_nonoverlapping(from.cast(), bytes);
        body.at += bytes;
        body.is_exceeded |= bytes < size * count;
    }
    size * count
}

/// Goes to an offset of the data, to send it again.
unsafe extern "C" fn seek(body: *mut c_void, offset: i64, origin: c_int) -> c_int {
    if body.is_null() || origin != libc::SEEK_SET {
        return SEEK_FAILED;
    }
    // SAFETY: the argument is the body of the request.
    let body = unsafe { &mut *body.cast::<Body>() };
    match usize::try_from(offset) {
        Ok(offset) if offset <= body.len => {
            body.at = offset;
            0
        }
        _ => SEEK_FAILED,
    }
}

/// Prints headers and data of a request and its answer (`http_verbose=2`).
unsafe extern "C" fn trace(_: *mut Handle, kind: c_int, data: *const u8, len: usize, _: *mut c_void) -> c_int {
    const KINDS: [&str; 5] = ["== ", "<= header: ", "=> header: ", "<= data: ", "=> data: "];
    if let Some(prefix) = usize::try_from(kind).ok().and_then(|kind| KINDS.get(kind)) {
        // SAFETY: libcurl has `len` bytes at `data`.
        let text = unsafe { std::slice::from_raw_parts(data, len) };
        // Nothing can be done if the standard error is closed.
        let _ = writeln!(io::stderr(), "{prefix}{}", String::from_utf8_lossy(text).trim_end());
    }
    0
}

impl Service for Http {
    fn attach(&mut self, index: usize) -> io::Result<()> {
        if index < self.paths.len() { Ok(()) } else { Err(io::ErrorKind::NotFound.into()) }
    }

    fn start(&mut self, op: &Op, requests: &Requests) -> Option<IoResult> {
        let method = match op.kind {
            Kind::Read => Method::Get,
            Kind::Write => Method::Put,
            Kind::Trim => Method::Delete,
            // A write is stable when the server has answered.
            Kind::Fsync | Kind::Fdatasync | Kind::SyncFileRange => return Some(Ok(0)),
        };
        let result = self.request(op, method, requests.of(op).data());
        Some(result.map_err(|error| error.raw_os_error().unwrap_or(libc::EIO)))
    }

    fn progress(&mut self, _: &Requests, _: Duration) -> io::Result<()> {
        Ok(())
    }

    fn is_synchronous(&self) -> bool {
        true
    }
}

//! An HTTP server for one resource. It answers one connection after another, each within a bounded time.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use super::text::CONTENT_TYPE;

const PATH: &str = "/metrics";
/// Largest request: its line and its headers.
const REQUEST_BYTES_MAX: usize = 8192;
const HEADERS_MAX: usize = 64;
/// Longest time to receive a request, and to send a response.
const TIME_MAX: Duration = Duration::from_secs(2);
/// Pause after an error of `accept`, such as too many open files.
const ERROR_PAUSE: Duration = Duration::from_millis(200);
/// Added to the nice value of the server's thread.
const NICE: i32 = 10;

/// The server. It is stopped on drop, after the connection that it answers.
pub struct Server {
    address: SocketAddr,
    has_ended: Arc<AtomicBool>,
}

impl Server {
    /// Listens on an address. `text` returns the resource.
    ///
    /// # Errors
    /// The address cannot be used, or the thread cannot be started.
    pub fn start(address: SocketAddr, text: impl Fn() -> String + Send + 'static) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        let address = listener.local_addr()?;
        let has_ended = Arc::<AtomicBool>::default();
        let ends = Arc::clone(&has_ended);
        let serve = move || {
            // The threads of the run have priority. Without the permission, all have the same.
            let _ = os::process::set_nice(NICE);
            while !ends.load(Relaxed) {
                match listener.accept() {
                    Ok(_) if ends.load(Relaxed) => {}
                    // A client that closes the connection early does not need the response.
                    Ok((connection, _)) => drop(answer(&connection, &text)),
                    Err(_) => std::thread::sleep(ERROR_PAUSE),
                }
            }
        };
        std::thread::Builder::new().name("metrics".to_owned()).spawn(serve)?;
        Ok(Server { address, has_ended })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.has_ended.store(true, Relaxed);
        // Wakes the thread. If that fails, it ends with the process.
        let mut address = self.address;
        if address.ip().is_unspecified() {
            address.set_ip(if address.is_ipv4() {
                std::net::Ipv4Addr::LOCALHOST.into()
            } else {
                std::net::Ipv6Addr::LOCALHOST.into()
            });
        }
        let _ = TcpStream::connect_timeout(&address, TIME_MAX);
    }
}

/// Reads a request and answers it.
fn answer(mut connection: &TcpStream, text: impl Fn() -> String) -> io::Result<()> {
    let (status, body) = match request(connection)? {
        Request::Get => ("200 OK", text()),
        Request::OtherPath => ("404 Not Found", format!("the metrics are at {PATH}\n")),
        Request::OtherMethod => ("405 Method Not Allowed", "only GET is allowed\n".to_owned()),
        Request::TooLarge => ("431 Request Header Fields Too Large", "the request is too large\n".to_owned()),
        Request::Malformed => ("400 Bad Request", "this is not HTTP\n".to_owned()),
    };
    let kind = if status.starts_with("200") { CONTENT_TYPE } else { "text/plain; charset=utf-8" };
    let allow = if status.starts_with("405") { "Allow: GET\r\n" } else { "" };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n{allow}Connection: close\r\n\r\n",
        body.len()
    );
    let until = Instant::now() + TIME_MAX;
    for part in head.as_bytes().chunks(REQUEST_BYTES_MAX).chain(body.as_bytes().chunks(REQUEST_BYTES_MAX)) {
        connection.set_write_timeout(Some(left(until)?))?;
        connection.write_all(part)?;
    }
    Ok(())
}

/// Returns the time until a deadline.
fn left(until: Instant) -> io::Result<Duration> {
    let left = until.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Request {
    /// The resource is requested.
    Get,
    OtherPath,
    OtherMethod,
    TooLarge,
    Malformed,
}

/// Receives a request.
fn request(mut connection: &TcpStream) -> io::Result<Request> {
    let until = Instant::now() + TIME_MAX;
    let mut bytes = Vec::new();
    let mut block = [0; 1024];
    loop {
        connection.set_read_timeout(Some(left(until)?))?;
        match connection.read(&mut block)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            count => bytes.extend_from_slice(&block[..count]),
        }
        if let Some(request) = parse(&bytes) {
            return Ok(request);
        }
    }
}

/// Returns the request; `None` if more bytes are needed.
fn parse(bytes: &[u8]) -> Option<Request> {
    if bytes.len() > REQUEST_BYTES_MAX {
        return Some(Request::TooLarge);
    }
    let mut headers = [httparse::EMPTY_HEADER; HEADERS_MAX];
    let mut request = httparse::Request::new(&mut headers);
    match request.parse(bytes) {
        Ok(httparse::Status::Partial) => None,
        Err(httparse::Error::TooManyHeaders) => Some(Request::TooLarge),
        Err(_) => Some(Request::Malformed),
        Ok(httparse::Status::Complete(_)) if request.method != Some("GET") => Some(Request::OtherMethod),
        Ok(httparse::Status::Complete(_)) => {
            let path = request.path.and_then(|path| path.split('?').next());
            Some(if path == Some(PATH) { Request::Get } else { Request::OtherPath })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_resource_and_one_method_are_served() {
        let all = [
            ("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", Some(Request::Get)),
            ("GET /metrics?x=1 HTTP/1.0\r\n\r\n", Some(Request::Get)),
            ("GET /metrics HTTP/1.1\r\nHost:", None),
            ("", None),
            ("GET / HTTP/1.1\r\n\r\n", Some(Request::OtherPath)),
            ("GET /metrics/../etc HTTP/1.1\r\n\r\n", Some(Request::OtherPath)),
            ("POST /metrics HTTP/1.1\r\n\r\n", Some(Request::OtherMethod)),
            ("HEAD /metrics HTTP/1.1\r\n\r\n", Some(Request::OtherMethod)),
            ("\u{16}\u{3}\u{1}", Some(Request::Malformed)),
        ];
        for (text, expected) in all {
            assert_eq!(parse(text.as_bytes()), expected, "{text:?}");
        }
        let long = format!("GET /metrics HTTP/1.1\r\nX: {}", "x".repeat(REQUEST_BYTES_MAX));
        assert_eq!(parse(long.as_bytes()), Some(Request::TooLarge));
        let many = format!("GET /metrics HTTP/1.1\r\n{}\r\n", "X: x\r\n".repeat(HEADERS_MAX + 1));
        assert_eq!(parse(many.as_bytes()), Some(Request::TooLarge));
    }
}

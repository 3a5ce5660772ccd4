//! An HTTP server for one resource. A thread per connection answers it within a bounded time.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::text::CONTENT_TYPE;

const PATH: &str = "/metrics";
/// Largest request: its line and its headers.
const REQUEST_BYTES_MAX: usize = 8192;
const HEADERS_MAX: usize = 64;
/// Most open connections. A new one replaces the oldest without a request, or else the oldest.
const CONNECTIONS_MAX: usize = 16;
/// Longest time to receive a request, and to send a response.
const TIME_MAX: Duration = Duration::from_secs(2);
/// Pause after an error of `accept`, such as too many open files.
const ERROR_PAUSE: Duration = Duration::from_millis(200);
/// Added to the nice value of the server's threads.
const NICE: i32 = 10;

/// The server. It accepts no connections after its drop.
pub struct Server {
    address: SocketAddr,
    has_ended: Arc<AtomicBool>,
}

impl Server {
    /// Listens on an address. `text` returns the resource.
    ///
    /// # Errors
    /// The address cannot be used, or the thread cannot be started.
    pub fn start(address: SocketAddr, text: impl Fn() -> String + Send + Sync + 'static) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        let address = listener.local_addr()?;
        let has_ended = Arc::<AtomicBool>::default();
        let ends = Arc::clone(&has_ended);
        let (text, open) = (Arc::new(text), Arc::<Connections>::default());
        let serve = move || {
            while !ends.load(Relaxed) {
                let Ok((stream, _)) = listener.accept() else {
                    std::thread::sleep(ERROR_PAUSE);
                    continue;
                };
                if ends.load(Relaxed) {
                    break;
                }
                let (connection, text, others) = (open.add(stream), Arc::clone(&text), Arc::clone(&open));
                let added = Arc::clone(&connection);
                let serve_one = move || {
                    // A client that closes the connection early does not need the response.
                    drop(answer(&added, &*text));
                    others.remove(&added);
                };
                if spawn(serve_one).is_err() {
                    open.remove(&connection);
                }
            }
        };
        spawn(serve)?;
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

/// Starts a thread of the server.
fn spawn(serve: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let with_low_priority = move || {
        // The threads of the run have priority. Without the permission, all have the same.
        let _ = os::process::set_nice(NICE);
        serve();
    };
    std::thread::Builder::new().name("metrics".to_owned()).spawn(with_low_priority).map(drop)
}

struct Connection {
    stream: TcpStream,
    has_request: AtomicBool,
}

/// The open connections, the oldest first.
#[derive(Default)]
struct Connections(Mutex<Vec<Arc<Connection>>>);

impl Connections {
    fn add(&self, stream: TcpStream) -> Arc<Connection> {
        let connection = Arc::new(Connection { stream, has_request: AtomicBool::new(false) });
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if open.len() >= CONNECTIONS_MAX {
            let replaced = open.iter().position(|other| !other.has_request.load(Relaxed)).unwrap_or(0);
            // Its thread ends at the next byte that it receives or sends.
            let _ = open.remove(replaced).stream.shutdown(Shutdown::Both);
        }
        open.push(Arc::clone(&connection));
        connection
    }

    fn remove(&self, connection: &Arc<Connection>) {
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|other| !Arc::ptr_eq(other, connection));
    }
}

/// Reads a request and answers it.
fn answer(connection: &Connection, text: impl Fn() -> String) -> io::Result<()> {
    let mut stream = &connection.stream;
    let request = request(stream)?;
    connection.has_request.store(true, Relaxed);
    let (status, body) = match request {
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
        stream.set_write_timeout(Some(left(until)?))?;
        stream.write_all(part)?;
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
    use std::sync::atomic::AtomicUsize;

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

    #[test]
    fn idle_and_slow_clients_do_not_delay_others() {
        const REQUEST: &[u8] = b"GET /metrics HTTP/1.1\r\n\r\n";
        let answered = Arc::<AtomicUsize>::default();
        let counted = Arc::clone(&answered);
        // The first answers are larger than the buffers of a connection: clients that do not read them block their threads.
        let text = move || match counted.fetch_add(1, Relaxed) {
            0..CONNECTIONS_MAX => "x".repeat(32 << 20),
            _ => "figures".to_owned(),
        };
        let server = Server::start("127.0.0.1:0".parse().unwrap(), text).unwrap();
        let connect = |bytes: &[u8]| {
            let mut client = TcpStream::connect(server.address()).unwrap();
            // The server may have closed it already.
            let _ = client.write_all(bytes);
            client
        };
        let mut clients: Vec<_> = (0..CONNECTIONS_MAX).map(|_| connect(REQUEST)).collect();
        while answered.load(Relaxed) < CONNECTIONS_MAX {
            std::thread::sleep(Duration::from_millis(5));
        }
        clients.extend((0..200).map(|_| connect(b"")));
        clients.extend((0..200).map(|_| connect(b"G")));
        let mut client = connect(REQUEST);
        // Answers one after another would take 400 times the longest time of one.
        client.set_read_timeout(Some(60 * TIME_MAX)).unwrap();
        let mut response = String::new();
        client.read_to_string(&mut response).unwrap();
        assert!(response.starts_with("HTTP/1.1 200 OK") && response.ends_with("figures"), "{response}");
    }
}

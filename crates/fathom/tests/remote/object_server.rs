//! A server of objects in memory, for requests of any kind. It records them.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// A request, without its data.
#[derive(Clone, Debug)]
pub struct Recorded {
    pub method: String,
    pub path: String,
    /// Names in lower case.
    pub headers: HashMap<String, String>,
}

#[derive(Default)]
struct Content {
    objects: HashMap<String, Vec<u8>>,
    requests: Vec<Recorded>,
}

/// The server. It ends with the process of the test.
pub struct ObjectServer {
    pub port: u16,
    content: Arc<Mutex<Content>>,
}

impl ObjectServer {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (port, content) = (listener.local_addr().unwrap().port(), Arc::<Mutex<Content>>::default());
        let shared = Arc::clone(&content);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&shared);
                std::thread::spawn(move || while answer(&stream, &shared).is_some() {});
            }
        });
        ObjectServer { port, content }
    }

    /// Returns the requests since the last call, without those for the root.
    pub fn take_requests(&self) -> Vec<Recorded> {
        let requests = std::mem::take(&mut self.content.lock().unwrap().requests);
        requests.into_iter().filter(|request| request.path != "/").collect()
    }

    pub fn object(&self, path: &str) -> Option<Vec<u8>> {
        self.content.lock().unwrap().objects.get(path).cloned()
    }

    pub fn put(&self, path: &str, data: Vec<u8>) {
        self.content.lock().unwrap().objects.insert(path.to_owned(), data);
    }

    pub fn count(&self) -> usize {
        self.content.lock().unwrap().objects.len()
    }
}

/// Answers a request. Returns `None` at the end of the connection.
fn answer(stream: &TcpStream, content: &Mutex<Content>) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).ok().filter(|bytes| *bytes > 0)?;
    let mut parts = line.split_whitespace();
    let (method, path) = (parts.next()?.to_owned(), parts.next()?.to_owned());
    let mut headers = HashMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        headers.insert(name.to_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    if headers.contains_key("expect") {
        let mut stream = stream;
        stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").ok()?;
    }
    let mut data = vec![0; length];
    reader.read_exact(&mut data).ok()?;
    let mut content = content.lock().unwrap();
    let range = headers.get("range").cloned();
    content.requests.push(Recorded { method: method.clone(), path: path.clone(), headers });
    let (status, body) = match method.as_str() {
        "PUT" => {
            content.objects.insert(path, data);
            ("201 Created", Vec::new())
        }
        "GET" => match (content.objects.get(&path), range) {
            (Some(object), Some(range)) => {
                let (start, end) = range.trim_start_matches("bytes=").split_once('-')?;
                let end = end.parse::<usize>().ok()?.min(object.len() - 1);
                ("206 Partial Content", object[start.parse().ok()?..=end].to_vec())
            }
            (Some(object), None) => ("200 OK", object.clone()),
            (None, _) => ("404 Not Found", Vec::new()),
        },
        "DELETE" => match content.objects.remove(&path) {
            Some(_) => ("204 No Content", Vec::new()),
            None => ("404 Not Found", Vec::new()),
        },
        _ => ("200 OK", Vec::new()),
    };
    drop(content);
    let length = if status.starts_with("204") { String::new() } else { format!("Content-Length: {}\r\n", body.len()) };
    let mut stream = stream;
    stream.write_all(format!("HTTP/1.1 {status}\r\n{length}\r\n").as_bytes()).ok()?;
    stream.write_all(&body).ok()
}

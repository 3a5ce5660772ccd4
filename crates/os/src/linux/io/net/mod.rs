//! `net` and `netsplice`: transfers to and from a peer, by sockets.
//!
//! Sockets do not block. An operation that cannot continue stays in flight, and `reap` waits for its socket. A message of
//! fio's protocol opens a link of datagrams, and a message ends each link. fio can therefore be the peer.

mod address;
mod datagram;
mod link;
mod socket;
mod splice;

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::time::{Duration, Instant};

use self::address::Address;
use self::datagram::Numbers;
use self::link::Link;
use self::splice::Spliced;
use crate::file::File;
use crate::io::{Backend, BackendConfig, BackendError, NetConfig};
use crate::io::{Completion, IoResult, Kind, Op, misuse};
use crate::memory::Slots;
use ::io::NetProtocol;

/// Longest wait for the other end in `attach`.
const ATTACH_WAIT: Duration = Duration::from_millis(100);

/// The operation in flight.
struct Transfer {
    slot: u32,
    file: u32,
    data: *mut u8,
    len: usize,
    moved: usize,
    sends: bool,
    /// Another transfer in the other direction follows (`pingpong`).
    is_answered: bool,
}

pub(crate) struct Net {
    config: NetConfig,
    slots: Slots,
    /// Waits for connections. The socket of all links if these are datagrams.
    listener: Option<OwnedFd>,
    /// Destination of connections, and of datagrams.
    peer: Option<Address>,
    links: Vec<Link>,
    transfer: Option<Transfer>,
    done: Vec<Completion>,
    numbers: Numbers,
    /// Of `netsplice`.
    pipe: Option<Spliced>,
    sent_bytes: u64,
}

impl Net {
    pub(crate) fn open(config: &BackendConfig, slots: Slots) -> Result<Self, BackendError> {
        let engine = config.engine;
        let Some(settings) = &config.net else { return Err(BackendError::new(engine, "the peer is missing")) };
        let net = &settings.link;
        let failed = |what: String, error: io::Error| BackendError::caused(engine, what, error);
        let peer = if net.listens {
            None
        } else {
            let peer = Address::of_peer(net);
            Some(peer.map_err(|error| failed(format!("hostname {}", net.host.as_deref().unwrap_or("")), error))?)
        };
        let listener = if net.listens {
            let listener = socket::listener(net);
            Some(listener.map_err(|error| failed(format!("cannot listen at port {}", net.port), error))?)
        } else {
            None
        };
        let uses_pipe = net.splices && !net.protocol.is_datagram() && net.protocol != NetProtocol::Unix;
        let pipe = uses_pipe.then(Spliced::new).transpose().map_err(|error| failed("pipe".to_owned(), error))?;
        Ok(Net {
            config: (**settings).clone(),
            slots,
            listener,
            peer,
            links: (0..config.files).map(|_| Link::Closed).collect(),
            transfer: None,
            done: Vec::with_capacity(1),
            numbers: Numbers::default(),
            pipe,
            sent_bytes: 0,
        })
    }

    fn link(&self, file: u32) -> io::Result<&OwnedFd> {
        match self.links.get(file as usize) {
            Some(Link::Open(fd)) => Ok(fd),
            _ => Err(misuse("operation on a file that is not attached")),
        }
    }

    /// Starts an operation.
    fn start(&mut self, op: &Op) -> io::Result<()> {
        self.link(op.file)?;
        let data = self.slots.start(op)?;
        let sends = op.kind == Kind::Write;
        let result = match op.kind {
            Kind::Trim => Some(Err(libc::EINVAL)),
            Kind::Fsync | Kind::Fdatasync | Kind::SyncFileRange => Some(Ok(0)),
            // As in fio, only TCP has both directions.
            _ if !self.config.link.protocol.is_tcp() && sends == self.config.link.listens => Some(Err(libc::EINVAL)),
            _ => None,
        };
        if let Some(result) = result {
            self.done.push(Completion { slot: op.slot, result });
            return Ok(());
        }
        let config = &self.config;
        let is_answered = config.link.pingpong && if sends { config.writes } else { config.reads };
        let (slot, file, len) = (op.slot, op.file, op.len as usize);
        self.transfer = Some(Transfer { slot, file, data, len, moved: 0, sends, is_answered });
        self.progress();
        Ok(())
    }

    /// Continues the operation in flight until it would block.
    fn progress(&mut self) {
        while let Some(mut transfer) = self.transfer.take() {
            let outcome = if transfer.sends { self.send(&transfer) } else { self.receive(&transfer) };
            match outcome {
                Ok(0) => return self.complete(&transfer, Err(libc::ESHUTDOWN)),
                Ok(moved) => transfer.moved += moved,
                Err(libc::EINTR) => {}
                Err(libc::EAGAIN) => {
                    self.transfer = Some(transfer);
                    return;
                }
                Err(errno) => return self.complete(&transfer, Err(errno)),
            }
            // A datagram arrives at once.
            let is_whole =
                transfer.moved >= transfer.len || self.config.link.protocol.is_datagram() && transfer.moved > 0;
            if !is_whole {
                self.transfer = Some(transfer);
                continue;
            }
            if !transfer.is_answered {
                let moved = u32::try_from(transfer.moved).map_err(|_| libc::EIO);
                return self.complete(&transfer, moved);
            }
            (transfer.sends, transfer.moved, transfer.is_answered) = (!transfer.sends, 0, false);
            self.transfer = Some(transfer);
        }
    }

    fn complete(&mut self, transfer: &Transfer, result: IoResult) {
        self.done.push(Completion { slot: transfer.slot, result });
    }

    /// Sends a part. Returns its bytes, or the errno.
    fn send(&mut self, transfer: &Transfer) -> Result<usize, i32> {
        let Ok(fd) = self.link(transfer.file).map(AsRawFd::as_raw_fd) else { return Err(libc::EBADF) };
        let left = transfer.len - transfer.moved;
        // SAFETY: the slot has `len` bytes, of which `moved` were transferred.
        let data = unsafe { transfer.data.add(transfer.moved) };
        if let Some(pipe) = &mut self.pipe {
            return pipe.send(fd, data, left);
        }
        if self.config.link.protocol.is_datagram() {
            if self.config.numbers_datagrams {
                self.numbers.write(data, left);
            }
            let Some(peer) = &self.peer else { return Err(libc::EDESTADDRREQ) };
            return socket::send_to(fd, data, left, peer);
        }
        let has_more = !self.config.link.pingpong && self.sent_bytes + (left as u64) < self.config.total_bytes;
        let more = if has_more { libc::MSG_MORE } else { 0 };
        let sent = socket::send(fd, data, left, more)?;
        self.sent_bytes += sent as u64;
        Ok(sent)
    }

    /// Receives a part. Returns its bytes, 0 at the end of the link, or the errno.
    fn receive(&mut self, transfer: &Transfer) -> Result<usize, i32> {
        let Ok(fd) = self.link(transfer.file).map(AsRawFd::as_raw_fd) else { return Err(libc::EBADF) };
        let left = transfer.len - transfer.moved;
        // SAFETY: the slot has `len` bytes, of which `moved` were transferred.
        let data = unsafe { transfer.data.add(transfer.moved) };
        let received = match &mut self.pipe {
            Some(pipe) => pipe.receive(fd, data, left)?,
            None if self.config.link.protocol.is_datagram() => {
                let (received, from) = socket::receive_from(fd, data, left)?;
                if self.config.link.listens {
                    self.peer = Some(from);
                }
                received
            }
            None => socket::receive(fd, data, left)?,
        };
        if link::is_end(data, received) {
            return Ok(0);
        }
        if self.config.link.protocol.is_datagram() && self.config.numbers_datagrams {
            self.numbers.read(data, received);
        }
        Ok(received)
    }

    /// Waits until the operation in flight can continue. Returns false after the timeout.
    fn wait(&self, timeout: Duration) -> io::Result<bool> {
        let Some(transfer) = &self.transfer else { return Ok(false) };
        let events = if transfer.sends { libc::POLLOUT } else { libc::POLLIN };
        socket::wait(self.link(transfer.file)?.as_raw_fd(), events, timeout)
    }

    /// Continues to open a link. Returns `WouldBlock` if the peer is not connected after [`ATTACH_WAIT`].
    fn connect(&mut self, index: usize) -> io::Result<()> {
        let config = &self.config.link;
        if let Link::Closed = self.links[index] {
            self.links[index] = match &self.listener {
                Some(listener) if config.protocol.is_datagram() => Link::Opening(listener.try_clone()?),
                Some(listener) => Link::Open(socket::accept(config, listener, ATTACH_WAIT)?),
                None => Link::Opening(socket::connect(config, self.peer.as_ref())?),
            };
        }
        let Link::Opening(fd) = &self.links[index] else { return Ok(()) };
        let fd = fd.as_raw_fd();
        match (config.protocol.is_datagram(), config.listens) {
            (true, true) => self.peer = Some(link::await_start(fd, ATTACH_WAIT)?),
            (true, false) => link::announce_start(fd, self.peer.as_ref())?,
            _ => socket::finish_connect(fd, ATTACH_WAIT)?,
        }
        if let Link::Opening(fd) = std::mem::replace(&mut self.links[index], Link::Closed) {
            self.links[index] = Link::Open(fd);
        }
        Ok(())
    }
}

impl Backend for Net {
    fn attach(&mut self, index: u32, _: &File) -> io::Result<()> {
        let at = index as usize;
        if at >= self.links.len() {
            return Err(misuse("file index beyond the table"));
        }
        let connected = self.connect(at);
        if connected.as_ref().is_err_and(|error| error.kind() != io::ErrorKind::WouldBlock) {
            self.links[at] = Link::Closed;
        }
        connected
    }

    fn detach(&mut self, index: u32) -> io::Result<()> {
        match self.links.get_mut(index as usize).map(|link| std::mem::replace(link, Link::Closed)) {
            Some(Link::Open(fd)) => {
                let to = self.peer.as_ref().filter(|_| self.config.link.protocol.is_datagram());
                link::announce_end(fd.as_raw_fd(), to);
                Ok(())
            }
            _ => Err(misuse("no such file attached")),
        }
    }

    fn submit(&mut self, ops: &[Op]) -> io::Result<usize> {
        match ops.first() {
            Some(op) if self.transfer.is_none() => self.start(op).map(|()| 1),
            _ => Ok(0),
        }
    }

    fn reap(&mut self, min: usize, max: usize, timeout: Duration, out: &mut Vec<Completion>) -> io::Result<()> {
        self.progress();
        if min > 0 && self.transfer.is_some() {
            let start = Instant::now();
            while self.transfer.is_some() && self.wait(timeout.saturating_sub(start.elapsed()))? {
                self.progress();
            }
        }
        self.slots.finish_all(&mut self.done, max, out);
        Ok(())
    }

    fn cancel(&mut self) {
        if let Some(transfer) = self.transfer.take() {
            self.complete(&transfer, Err(libc::ECANCELED));
        }
    }

    fn lost(&self) -> u64 {
        self.numbers.lost()
    }

    fn is_synchronous(&self) -> bool {
        true
    }
}

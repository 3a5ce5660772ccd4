//! Sockets that do not block.

use std::io;
use std::net::Ipv4Addr;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;
use std::time::Duration;

use super::address::{Address, in_addr, multicast_group};
use crate::file::Folder;
use crate::linux::file::check;
use crate::linux::io::pipe::result;
use crate::linux::number::size_of_u32;
use crate::linux::wait::wait_for_events;
use ::io::{Net, NetProtocol};

/// Connections that may wait to be accepted.
const BACKLOG: i32 = 10;

fn new(protocol: NetProtocol) -> io::Result<OwnedFd> {
    let (domain, kind) = match protocol {
        NetProtocol::Tcp => (libc::AF_INET, libc::SOCK_STREAM),
        NetProtocol::TcpV6 => (libc::AF_INET6, libc::SOCK_STREAM),
        NetProtocol::Udp => (libc::AF_INET, libc::SOCK_DGRAM),
        NetProtocol::UdpV6 => (libc::AF_INET6, libc::SOCK_DGRAM),
        NetProtocol::Unix => (libc::AF_UNIX, libc::SOCK_STREAM),
        NetProtocol::Vsock => (libc::AF_VSOCK, libc::SOCK_STREAM),
    };
    // SAFETY: no pointers.
    let fd = check(unsafe { libc::socket(domain, kind | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK, 0) })?;
    // SAFETY: the descriptor is new and has no other owner.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

fn set<T>(fd: &OwnedFd, level: i32, name: i32, value: T) -> io::Result<()> {
    let (value, length) = ((&raw const value).cast(), size_of_u32::<T>());
    // SAFETY: the pointer is to a live value of that length.
    check(unsafe { libc::setsockopt(fd.as_raw_fd(), level, name, value, length) }).map(drop)
}

/// Sets the size of the buffers and of the segments.
fn set_sizes(config: &Net, fd: &OwnedFd) -> io::Result<()> {
    let bytes = libc::c_int::try_from(config.window_bytes).unwrap_or(libc::c_int::MAX);
    if bytes > 0 && (config.listens || config.pingpong) {
        set(fd, libc::SOL_SOCKET, libc::SO_RCVBUF, bytes)?;
    }
    if bytes > 0 && (!config.listens || config.pingpong) {
        set(fd, libc::SOL_SOCKET, libc::SO_SNDBUF, bytes)?;
    }
    if config.mss_bytes > 0 && config.protocol.is_tcp() {
        set(
            fd,
            libc::IPPROTO_TCP,
            libc::TCP_MAXSEG,
            libc::c_int::try_from(config.mss_bytes).unwrap_or(libc::c_int::MAX),
        )?;
    }
    Ok(())
}

fn set_no_delay(config: &Net, fd: &OwnedFd) -> io::Result<()> {
    if config.no_delay && config.protocol.is_tcp() {
        set::<libc::c_int>(fd, libc::IPPROTO_TCP, libc::TCP_NODELAY, 1)?;
    }
    Ok(())
}

fn interface(config: &Net) -> io::Result<Ipv4Addr> {
    let Some(interface) = &config.interface else { return Ok(Ipv4Addr::UNSPECIFIED) };
    interface
        .parse()
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "interface requires the IPv4 address of an interface"))
}

/// Returns a socket that waits for connections or datagrams.
pub(super) fn listener(config: &Net) -> io::Result<OwnedFd> {
    let fd = new(config.protocol)?;
    let is_internet = !matches!(config.protocol, NetProtocol::Unix | NetProtocol::Vsock);
    if config.protocol != NetProtocol::Unix {
        set::<libc::c_int>(&fd, libc::SOL_SOCKET, libc::SO_REUSEADDR, 1)?;
    }
    let mut group = None;
    if is_internet {
        set::<libc::c_int>(&fd, libc::SOL_SOCKET, libc::SO_REUSEPORT, 1)?;
        set_sizes(config, &fd)?;
        group = multicast_group(config);
    }
    if let Some(group) = group {
        let request = libc::ip_mreq { imr_multiaddr: in_addr(group), imr_interface: in_addr(interface(config)?) };
        set(&fd, libc::IPPROTO_IP, libc::IP_ADD_MEMBERSHIP, request)?;
    }
    if let (NetProtocol::Unix, Some(path)) = (config.protocol, &config.host) {
        remove_old_socket(path)?;
    }
    let address = Address::to_listen(config, group)?;
    // SAFETY: the address has that length.
    check(unsafe { libc::bind(fd.as_raw_fd(), address.as_ptr(), address.length()) })?;
    if !config.protocol.is_datagram() {
        // SAFETY: no pointers.
        check(unsafe { libc::listen(fd.as_raw_fd(), BACKLOG) })?;
    }
    Ok(fd)
}

/// Removes the socket of an earlier run. Nothing else is removed.
fn remove_old_socket(path: &str) -> io::Result<()> {
    let path = Path::new(path);
    let (Some(above), Some(name)) = (path.parent(), path.file_name()) else { return Ok(()) };
    let folder = Folder::hold(if above.as_os_str().is_empty() { Path::new(".") } else { above })?;
    match folder.at(name).symlink_metadata() {
        Ok(found) if found.file_type().is_socket() => folder.unlink(Path::new(name)),
        _ => Ok(()),
    }
}

/// Returns the next connection, or `WouldBlock` after the timeout.
pub(super) fn accept(config: &Net, listener: &OwnedFd, timeout: Duration) -> io::Result<OwnedFd> {
    if !wait(listener.as_raw_fd(), libc::POLLIN, timeout)? {
        return Err(io::ErrorKind::WouldBlock.into());
    }
    let (address, length) = (std::ptr::null_mut(), std::ptr::null_mut());
    // SAFETY: null pointers: the address of the other end is not needed.
    let fd = check(unsafe {
        libc::accept4(listener.as_raw_fd(), address, length, libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK)
    })?;
    // SAFETY: the descriptor is new and has no other owner.
    let fd = unsafe { OwnedFd::from_raw_fd(fd) };
    set_no_delay(config, &fd)?;
    Ok(fd)
}

/// Returns a socket for datagrams, or a socket whose connection was requested.
pub(super) fn connect(config: &Net, peer: Option<&Address>) -> io::Result<OwnedFd> {
    let fd = new(config.protocol)?;
    set_no_delay(config, &fd)?;
    set_sizes(config, &fd)?;
    if config.protocol.is_datagram() {
        if multicast_group(config).is_some() {
            if config.interface.is_some() {
                set(&fd, libc::IPPROTO_IP, libc::IP_MULTICAST_IF, in_addr(interface(config)?))?;
            }
            set(
                &fd,
                libc::IPPROTO_IP,
                libc::IP_MULTICAST_TTL,
                libc::c_int::try_from(config.ttl).unwrap_or(libc::c_int::MAX),
            )?;
        }
        return Ok(fd);
    }
    let Some(peer) = peer else { return Err(io::ErrorKind::AddrNotAvailable.into()) };
    // SAFETY: the address has that length.
    match check(unsafe { libc::connect(fd.as_raw_fd(), peer.as_ptr(), peer.length()) }) {
        Err(error) if error.raw_os_error() != Some(libc::EINPROGRESS) => Err(error),
        _ => Ok(fd),
    }
}

/// Waits until a connection is established. Returns `WouldBlock` after the timeout.
pub(super) fn finish_connect(fd: i32, timeout: Duration) -> io::Result<()> {
    if !wait(fd, libc::POLLOUT, timeout)? {
        return Err(io::ErrorKind::WouldBlock.into());
    }
    let (mut error, mut length): (libc::c_int, _) = (0, size_of_u32::<libc::c_int>());
    let value = (&raw mut error).cast();
    // SAFETY: the pointers are to live values, the first of that length.
    check(unsafe { libc::getsockopt(fd, libc::SOL_SOCKET, libc::SO_ERROR, value, &mut length) })?;
    if error == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(error)) }
}

/// Waits for an event. Returns false after the timeout. A signal does not end the wait.
pub(super) fn wait(fd: i32, events: libc::c_short, timeout: Duration) -> io::Result<bool> {
    wait_for_events(fd, events, timeout).map(|ready| ready != 0)
}

pub(super) fn send(fd: i32, data: *const u8, len: usize, flags: i32) -> Result<usize, i32> {
    // SAFETY: the caller has `len` bytes at `data`.
    result(unsafe { libc::send(fd, data.cast(), len, flags | libc::MSG_NOSIGNAL) })
}

pub(super) fn send_to(fd: i32, data: *const u8, len: usize, to: &Address) -> Result<usize, i32> {
    // SAFETY: the caller has `len` bytes at `data`, and the address has that length.
    result(unsafe { libc::sendto(fd, data.cast(), len, libc::MSG_NOSIGNAL, to.as_ptr(), to.length()) })
}

pub(super) fn receive(fd: i32, data: *mut u8, len: usize) -> Result<usize, i32> {
    // SAFETY: the caller has `len` bytes at `data`.
    result(unsafe { libc::recv(fd, data.cast(), len, 0) })
}

/// Returns the bytes of a datagram and its sender.
pub(super) fn receive_from(fd: i32, data: *mut u8, len: usize) -> Result<(usize, Address), i32> {
    let mut from = Address::empty();
    let (address, length) = from.as_mut_ptrs();
    // SAFETY: the caller has `len` bytes at `data`, and the address is filled up to its length.
    let received = result(unsafe { libc::recvfrom(fd, data.cast(), len, 0, address, length) })?;
    Ok((received, from))
}

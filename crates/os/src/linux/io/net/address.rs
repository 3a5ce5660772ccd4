//! Addresses of sockets.

use std::io;
use std::mem::{offset_of, size_of, zeroed};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};

use crate::linux::number::size_of_u32;
use ::io::{Net, NetProtocol};

/// Returns the number of an address family in the type of addresses.
fn family(number: libc::c_int) -> libc::sa_family_t {
    libc::sa_family_t::try_from(number).unwrap_or(0)
}

#[derive(Clone, Copy)]
pub(super) struct Address {
    storage: libc::sockaddr_storage,
    length: libc::socklen_t,
}

impl Address {
    /// Returns an address to be filled by the kernel.
    pub(super) fn empty() -> Self {
        // SAFETY: all-zero bytes are a valid address of an unspecified family.
        Address { storage: unsafe { zeroed() }, length: size_of_u32::<libc::sockaddr_storage>() }
    }

    fn of<T>(value: T, length: usize) -> Self {
        const { assert!(size_of::<T>() <= size_of::<libc::sockaddr_storage>()) };
        let mut address = Address { length: libc::socklen_t::try_from(length).unwrap_or(0), ..Address::empty() };
        // SAFETY: the storage is larger than the value and has the alignment of every address.
        unsafe { std::ptr::write((&raw mut address.storage).cast::<T>(), value) };
        address
    }

    fn of_internet(address: SocketAddr) -> Self {
        match address {
            SocketAddr::V4(address) => {
                // SAFETY: all-zero bytes are a valid value.
                let mut raw: libc::sockaddr_in = unsafe { zeroed() };
                raw.sin_family = family(libc::AF_INET);
                raw.sin_port = address.port().to_be();
                raw.sin_addr = in_addr(*address.ip());
                Address::of(raw, size_of::<libc::sockaddr_in>())
            }
            SocketAddr::V6(address) => {
                // SAFETY: all-zero bytes are a valid value.
                let mut raw: libc::sockaddr_in6 = unsafe { zeroed() };
                raw.sin6_family = family(libc::AF_INET6);
                raw.sin6_port = address.port().to_be();
                raw.sin6_addr.s6_addr = address.ip().octets();
                raw.sin6_scope_id = address.scope_id();
                Address::of(raw, size_of::<libc::sockaddr_in6>())
            }
        }
    }

    fn of_path(path: &str) -> io::Result<Self> {
        // SAFETY: all-zero bytes are a valid value.
        let mut raw: libc::sockaddr_un = unsafe { zeroed() };
        raw.sun_family = family(libc::AF_UNIX);
        // The last byte stays zero.
        if path.is_empty() || path.len() >= raw.sun_path.len() || path.contains('\0') {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "no valid path of a UNIX socket"));
        }
        for (to, from) in raw.sun_path.iter_mut().zip(path.bytes()) {
            *to = libc::c_char::from_ne_bytes([from]);
        }
        Ok(Address::of(raw, offset_of!(libc::sockaddr_un, sun_path) + path.len() + 1))
    }

    fn of_machine(cid: u32, port: u32) -> Self {
        // SAFETY: all-zero bytes are a valid value.
        let mut raw: libc::sockaddr_vm = unsafe { zeroed() };
        raw.svm_family = family(libc::AF_VSOCK);
        (raw.svm_cid, raw.svm_port) = (cid, port);
        Address::of(raw, size_of::<libc::sockaddr_vm>())
    }

    /// Returns the address to connect or send to.
    ///
    /// # Errors
    /// The name has no address of the protocol.
    pub(super) fn of_peer(config: &Net) -> io::Result<Self> {
        let host = config.host.as_deref().unwrap_or_default();
        match config.protocol {
            NetProtocol::Unix => Address::of_path(host),
            NetProtocol::Vsock => {
                let cid = host.parse();
                cid.map(|cid| Address::of_machine(cid, config.port))
                    .map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "no context identifier (CID)"))
            }
            protocol => {
                let found = (host, port_of(config)?).to_socket_addrs()?;
                let mut fitting = found.into_iter().filter(|address| address.is_ipv6() == protocol.is_ipv6());
                let address = fitting.next().map(Address::of_internet);
                address.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "no address of this protocol"))
            }
        }
    }

    /// Returns the address to listen at. `group` is the multicast group.
    ///
    /// # Errors
    /// The path or port is not valid.
    pub(super) fn to_listen(config: &Net, group: Option<Ipv4Addr>) -> io::Result<Self> {
        match config.protocol {
            NetProtocol::Unix => Address::of_path(config.host.as_deref().unwrap_or_default()),
            NetProtocol::Vsock => Ok(Address::of_machine(libc::VMADDR_CID_ANY, config.port)),
            protocol => {
                let any = if protocol.is_ipv6() {
                    IpAddr::V6(Ipv6Addr::UNSPECIFIED)
                } else {
                    IpAddr::V4(group.unwrap_or(Ipv4Addr::UNSPECIFIED))
                };
                Ok(Address::of_internet(SocketAddr::new(any, port_of(config)?)))
            }
        }
    }

    pub(super) fn as_ptr(&self) -> *const libc::sockaddr {
        (&raw const self.storage).cast()
    }

    pub(super) fn length(&self) -> libc::socklen_t {
        self.length
    }

    /// Returns the pointers that the kernel fills.
    pub(super) fn as_mut_ptrs(&mut self) -> (*mut libc::sockaddr, *mut libc::socklen_t) {
        ((&raw mut self.storage).cast(), &raw mut self.length)
    }
}

fn port_of(config: &Net) -> io::Result<u16> {
    u16::try_from(config.port).map_err(|_| io::Error::new(io::ErrorKind::InvalidInput, "ports end at 65535"))
}

pub(super) fn in_addr(address: Ipv4Addr) -> libc::in_addr {
    libc::in_addr { s_addr: u32::from_ne_bytes(address.octets()) }
}

/// Returns the multicast group that is the host.
pub(super) fn multicast_group(config: &Net) -> Option<Ipv4Addr> {
    let host: Ipv4Addr = config.host.as_deref()?.parse().ok()?;
    host.is_multicast().then_some(host)
}

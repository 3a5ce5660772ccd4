//! The link of the net engine.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::EnumString;

/// A link to a peer.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Net {
    pub protocol: NetProtocol,
    /// Host of the peer, multicast group, path of the UNIX socket, or context identifier of the virtual machine.
    pub host: Option<String>,
    /// Port of the peer, or the port to listen at.
    pub port: u32,
    /// Waits for the peer instead of connecting to it.
    pub listens: bool,
    /// Each transfer is answered by one of the same length.
    pub pingpong: bool,
    /// Small packets are sent without delay.
    pub no_delay: bool,
    /// Address of the interface for multicast.
    pub interface: Option<String>,
    /// Hops of multicast.
    pub ttl: u32,
    /// Size of the socket's buffer. 0 is the system's.
    pub window_bytes: u32,
    /// Segment size of TCP. 0 is the system's.
    pub mss_bytes: u32,
    /// Transfers by `splice`.
    pub splices: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema, EnumString)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "lowercase")]
pub enum NetProtocol {
    #[default]
    Tcp,
    TcpV6,
    Udp,
    UdpV6,
    Unix,
    Vsock,
}

impl NetProtocol {
    #[inline]
    pub fn is_tcp(self) -> bool {
        matches!(self, NetProtocol::Tcp | NetProtocol::TcpV6)
    }

    #[inline]
    pub fn is_datagram(self) -> bool {
        matches!(self, NetProtocol::Udp | NetProtocol::UdpV6)
    }

    #[inline]
    pub fn is_ipv6(self) -> bool {
        matches!(self, NetProtocol::TcpV6 | NetProtocol::UdpV6)
    }
}

//! MPI, loaded at run time: messages of bytes between the processes of a launcher.
//!
//! Only calls that return at once are used, because the waits of MPI spin. The three families differ in the values of a few
//! handles. All handles are at most as wide as a register, so one declaration of each function serves all of them.
//! Sources: the headers of Open MPI 4.1 and MPICH 4.0, and the ABI of the MPI 5.0 standard (chapter 20).

use std::ffi::{CStr, c_char, c_int, c_void};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::mpi_error::MpiError;
use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};

/// Longest message. Messages up to this size are buffered by all families (eager), so that a send needs no receiver.
pub const MESSAGE_BYTES: usize = 32 << 10;
/// Bytes before the message: its length.
const LENGTH_BYTES: usize = 4;
/// Bytes of a message with its length.
const BUFFER_LENGTH: c_int = 4 + (32 << 10);
const _: () = assert!(BUFFER_LENGTH as usize == LENGTH_BYTES + MESSAGE_BYTES);
/// Longest version text of a library (`MPI_MAX_LIBRARY_VERSION_STRING` of the MPI 5.0 ABI).
const VERSION_BYTES: usize = 8192;
/// Room for a status. The largest has 32 bytes.
const STATUS_WORDS: usize = 16;
const TAG: c_int = 17;
/// Longest time of `MPI_Finalize`. The process ends after it.
const FINALIZE_TIMEOUT: Duration = Duration::from_secs(1);
/// Longest time of `MPI_Abort`. Without a network to the launcher it does not return.
const ABORT_TIMEOUT: Duration = Duration::from_secs(5);
/// Timeout of the calls of `send` and `try_receive`, which do not block. The process exits after 20 to 40 s.
const CALL_TIMEOUT: Duration = Duration::from_secs(20);
/// Longest wait for messages in flight when a process leaves.
const LEAVE_TIMEOUT: Duration = Duration::from_secs(2);

/// Values for the environment that keep MPI from changing the process and from burning CPU time. Values of the user have priority.
const SETTINGS: [(&str, &str); 6] = [
    // MPICH with UCX patches mmap, munmap and madvise in the process.
    ("UCX_MEM_MMAP_HOOK_MODE", "none"),
    ("UCX_MEM_EVENTS", "no"),
    // MPICH 5.0.2 with UCX loses the second of two messages that follow each other at once. MPICH without libfabric ignores it.
    ("MPIR_CVAR_CH4_NETMOD", "ofi"),
    ("OMPI_MCA_memory", "^patcher"),
    // Without it, Open MPI 5 ends this process after another one has ended.
    ("OMPI_MCA_mpi_ft_enable", "1"),
    // Sockets and shared memory: a few small messages need no RDMA.
    ("OMPI_MCA_pml", "ob1"),
];

/// The values of a family.
struct Handles {
    group: usize,
    byte: usize,
    errors_return: usize,
    any_source: c_int,
}

struct Calls {
    comm_rank: unsafe extern "C" fn(usize, *mut c_int) -> c_int,
    comm_size: unsafe extern "C" fn(usize, *mut c_int) -> c_int,
    set_errhandler: unsafe extern "C" fn(usize, usize) -> c_int,
    isend: unsafe extern "C" fn(*const c_void, c_int, usize, c_int, c_int, usize, *mut usize) -> c_int,
    irecv: unsafe extern "C" fn(*mut c_void, c_int, usize, c_int, c_int, usize, *mut usize) -> c_int,
    test: unsafe extern "C" fn(*mut usize, *mut c_int, *mut c_void) -> c_int,
    cancel: unsafe extern "C" fn(*mut usize) -> c_int,
    finalize: unsafe extern "C" fn() -> c_int,
    abort: unsafe extern "C" fn(usize, c_int) -> c_int,
}

/// The connection of this process to the others of its launcher. It stays on the thread that made it.
pub struct Mpi {
    calls: Calls,
    handles: Handles,
    rank: u32,
    size: u32,
    version: String,
    sends: Vec<Transfer>,
    receive: Option<Transfer>,
    stays_on_its_thread: PhantomData<*const ()>,
}

/// An operation in flight. The library uses the buffer until the operation is complete.
struct Transfer {
    request: usize,
    buffer: Box<[u8]>,
    is_complete: bool,
}

impl Drop for Transfer {
    fn drop(&mut self) {
        if !self.is_complete {
            std::mem::forget(std::mem::take(&mut self.buffer));
        }
    }
}

impl Mpi {
    /// Loads the first of the libraries that can be loaded, and connects to the other processes. Waits until all are there.
    ///
    /// # Errors
    /// The process has several threads, no library can be loaded, or it cannot connect.
    pub fn load(libraries: &[String]) -> Result<Mpi, MpiError> {
        let threads = std::fs::read_dir("/proc/self/task").map_or(1, Iterator::count);
        if threads != 1 {
            return Err(MpiError(format!(
                "MPI must be loaded before other threads start, and there are {threads} threads"
            )));
        }
        for (name, value) in SETTINGS {
            if std::env::var_os(name).is_none() {
                // SAFETY: no other thread reads the environment: there is none.
                unsafe { std::env::set_var(name, value) };
            }
        }
        let mut errors = Vec::new();
        for name in libraries {
            // SAFETY: the library is an MPI by its name, and its initialisation has no preconditions. Its plug-ins need its
            // symbols (RTLD_GLOBAL).
            match unsafe { Library::open(Some(name), RTLD_NOW | RTLD_GLOBAL) } {
                // The library has handlers that run at exit, so it stays loaded.
                Ok(library) => return Mpi::start(Box::leak(Box::new(library)), name),
                Err(error) => errors.push(error.to_string()),
            }
        }
        Err(MpiError(format!("no MPI library can be loaded: {}", errors.join("; "))))
    }

    fn start(library: &'static Library, name: &str) -> Result<Mpi, MpiError> {
        let handles = handles(library, name)?;
        // SAFETY: these are the signatures of the MPI standard. Handles are pointers or 32-bit integers, and counts are C's int.
        let (init, get_version, calls) = unsafe {
            let init: unsafe extern "C" fn(*const c_void, *const c_void) -> c_int = function(library, c"MPI_Init")?;
            let version: unsafe extern "C" fn(*mut c_char, *mut c_int) -> c_int =
                function(library, c"MPI_Get_library_version")?;
            let calls = Calls {
                comm_rank: function(library, c"MPI_Comm_rank")?,
                comm_size: function(library, c"MPI_Comm_size")?,
                set_errhandler: function(library, c"MPI_Comm_set_errhandler")?,
                isend: function(library, c"MPI_Isend")?,
                irecv: function(library, c"MPI_Irecv")?,
                test: function(library, c"MPI_Test")?,
                cancel: function(library, c"MPI_Cancel")?,
                finalize: function(library, c"MPI_Finalize")?,
                abort: function(library, c"MPI_Abort")?,
            };
            (init, version, calls)
        };
        // SAFETY: MPI accepts null pointers in place of the arguments of `main`, and is initialised once.
        check("MPI_Init", unsafe { init(std::ptr::null(), std::ptr::null()) })?;
        let (mut rank, mut size) = (0, 0);
        // SAFETY: MPI is initialised. The pointers are to live integers.
        unsafe {
            check("MPI_Comm_set_errhandler", (calls.set_errhandler)(handles.group, handles.errors_return))?;
            check("MPI_Comm_rank", (calls.comm_rank)(handles.group, &mut rank))?;
            check("MPI_Comm_size", (calls.comm_size)(handles.group, &mut size))?;
        }
        let version = version(get_version);
        let (rank, size) = (rank.unsigned_abs(), size.unsigned_abs());
        watch_calls();
        let (sends, receive) = (Vec::new(), None);
        let mut mpi = Mpi { calls, handles, rank, size, version, sends, receive, stays_on_its_thread: PhantomData };
        mpi.post_receive()?;
        Ok(mpi)
    }

    pub fn rank(&self) -> u32 {
        self.rank
    }

    pub fn size(&self) -> u32 {
        self.size
    }

    /// Returns the name and version of the library.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Starts to send a message of at most [`MESSAGE_BYTES`].
    ///
    /// # Errors
    /// The message is too long, or the library reports an error.
    pub fn send(&mut self, to: u32, message: &[u8]) -> Result<(), MpiError> {
        if message.len() > MESSAGE_BYTES {
            return Err(MpiError(format!("a message of {} bytes is longer than {MESSAGE_BYTES}", message.len())));
        }
        let _watched = Watched::begin();
        let too_long = |_| MpiError(format!("a message of {} bytes is too long", message.len()));
        let length = u32::try_from(message.len()).map_err(too_long)?.to_le_bytes();
        let buffer: Box<[u8]> = length.into_iter().chain(message.iter().copied()).collect();
        let mut transfer = Transfer { request: 0, buffer, is_complete: false };
        let (group, byte) = (self.handles.group, self.handles.byte);
        let (start, bytes) = (transfer.buffer.as_ptr(), c_int::try_from(transfer.buffer.len()).map_err(too_long)?);
        // SAFETY: the transfer keeps the buffer until the operation is complete. The request fits into the word.
        let result = unsafe {
            (self.calls.isend)(start.cast(), bytes, byte, to.cast_signed(), TAG, group, &raw mut transfer.request)
        };
        self.sends.push(transfer);
        check("MPI_Isend", result)?;
        self.advance_sends();
        Ok(())
    }

    /// Returns the next message. `None` if there is none yet.
    ///
    /// # Errors
    /// The library reports an error.
    pub fn try_receive(&mut self) -> Result<Option<Vec<u8>>, MpiError> {
        let _watched = Watched::begin();
        self.advance_sends();
        let Some(transfer) = &mut self.receive else { return Ok(None) };
        match test(&self.calls, transfer) {
            Ok(true) => {}
            Ok(false) => return Ok(None),
            // A process has ended. Messages of the others arrive in the next receive.
            Err(_) => return self.post_receive().map(|()| None),
        }
        let (length, rest) = transfer.buffer.split_at(LENGTH_BYTES);
        let length = length.iter().rev().fold(0usize, |length, byte| length << 8 | usize::from(*byte));
        let message =
            rest.get(..length).ok_or_else(|| MpiError("a message is longer than its buffer".to_owned()))?.to_vec();
        self.post_receive()?;
        Ok(Some(message))
    }

    /// Disconnects, and waits until all processes disconnect. After 3 s the process exits with `exit_code`.
    ///
    /// # Errors
    /// The library reports an error.
    pub fn finalize(mut self, exit_code: u8) -> Result<(), MpiError> {
        let exit_code = i32::from(exit_code);
        exit_after(LEAVE_TIMEOUT + FINALIZE_TIMEOUT, exit_code);
        let started = Instant::now();
        while !self.sends.is_empty() && started.elapsed() < LEAVE_TIMEOUT {
            self.advance_sends();
            std::thread::sleep(Duration::from_millis(1));
        }
        if let Some(mut transfer) = self.receive.take() {
            // SAFETY: the request is one of `irecv` that is not complete.
            check("MPI_Cancel", unsafe { (self.calls.cancel)(&raw mut transfer.request) })?;
            while !test(&self.calls, &mut transfer)? && started.elapsed() < LEAVE_TIMEOUT {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        // MPICH 4.0 with UCX often waits forever here. Everything is done, so the process ends in any case.
        exit_after(FINALIZE_TIMEOUT, exit_code);
        // SAFETY: MPI is initialised, and this value, which alone makes calls, ends here.
        check("MPI_Finalize", unsafe { (self.calls.finalize)() })
    }

    /// Ends all processes of the launcher with this exit code.
    pub fn abort(self, code: i32) {
        exit_after(ABORT_TIMEOUT, code);
        // SAFETY: MPI is initialised.
        unsafe { (self.calls.abort)(self.handles.group, code) };
    }

    fn post_receive(&mut self) -> Result<(), MpiError> {
        let buffer = vec![0; LENGTH_BYTES + MESSAGE_BYTES].into_boxed_slice();
        let transfer = self.receive.insert(Transfer { request: 0, buffer, is_complete: false });
        let (Handles { group, byte, any_source, .. }, bytes) = (&self.handles, BUFFER_LENGTH);
        // SAFETY: the transfer keeps the buffer until the operation is complete. The request fits into the word.
        let result = unsafe {
            (self.calls.irecv)(
                transfer.buffer.as_mut_ptr().cast(),
                bytes,
                *byte,
                *any_source,
                TAG,
                *group,
                &raw mut transfer.request,
            )
        };
        check("MPI_Irecv", result)
    }

    /// Removes the sends that are complete, and those to a process that has ended. The call also makes MPI continue the others.
    fn advance_sends(&mut self) {
        self.sends.retain_mut(|transfer| matches!(test(&self.calls, transfer), Ok(false)));
    }
}

/// Number of starts and ends of watched calls. It is odd during a call.
static CALLS: AtomicU64 = AtomicU64::new(0);

/// Marks a watched call. Dropping it marks the end.
struct Watched;

impl Watched {
    fn begin() -> Self {
        CALLS.fetch_add(1, Ordering::Relaxed);
        Watched
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        CALLS.fetch_add(1, Ordering::Relaxed);
    }
}

/// Starts a thread that exits the process if a watched call does not return. With Intel MPI, calls block forever after another
/// process has ended.
fn watch_calls() {
    std::thread::spawn(|| {
        let mut before = 0;
        loop {
            std::thread::sleep(CALL_TIMEOUT);
            let now = CALLS.load(Ordering::Relaxed);
            if now % 2 == 1 && now == before {
                let seconds = CALL_TIMEOUT.as_secs();
                eprintln!("error: an MPI call did not return within {seconds} s: another host may be lost");
                eprintln!("help: check that all hosts are reachable and that fathom is active on them");
                exit_now(1);
            }
            before = now;
        }
    });
}

/// Returns true if the operation is complete.
fn test(calls: &Calls, transfer: &mut Transfer) -> Result<bool, MpiError> {
    if !transfer.is_complete {
        let (mut is_complete, mut status) = (0, [0u64; STATUS_WORDS]);
        // SAFETY: the request is of an operation in flight, and the status has room for that of each family.
        let result =
            unsafe { (calls.test)(&raw mut transfer.request, &raw mut is_complete, status.as_mut_ptr().cast()) };
        check("MPI_Test", result)?;
        transfer.is_complete = is_complete != 0;
    }
    Ok(transfer.is_complete)
}

/// Exits without the handlers of the library, which may wait for the thread that is in a call.
fn exit_now(code: i32) -> ! {
    // SAFETY: no pointers. Nothing is to be written back: the agent flushes each message.
    unsafe { libc::_exit(code) }
}

/// Ends the process after a time, if it has not ended.
fn exit_after(timeout: Duration, code: i32) {
    std::thread::spawn(move || {
        std::thread::sleep(timeout);
        exit_now(code);
    });
}

/// Returns a function of a library.
///
/// # Safety
/// `F` must be the function's type.
unsafe fn function<F: Copy>(library: &'static Library, name: &CStr) -> Result<F, MpiError> {
    // SAFETY: the caller states the type.
    unsafe { library.get::<F>(name.to_bytes_with_nul()) }
        .map(|symbol| *symbol)
        .map_err(|error| MpiError(error.to_string()))
}

/// Finds the values of a library's family: by its symbols, and by the name of the standard's ABI.
fn handles(library: &'static Library, name: &str) -> Result<Handles, MpiError> {
    let address = |symbol: &CStr| {
        // SAFETY: only the address of the object is used.
        unsafe { library.get::<*const c_void>(symbol.to_bytes_with_nul()) }.map(|found| found.as_raw_ptr() as usize)
    };
    if let Ok(group) = address(c"ompi_mpi_comm_world") {
        let of_open_mpi = |symbol| address(symbol).map_err(|error| MpiError(error.to_string()));
        let (byte, errors_return) = (of_open_mpi(c"ompi_mpi_byte")?, of_open_mpi(c"ompi_mpi_errors_return")?);
        return Ok(Handles { group, byte, errors_return, any_source: -1 });
    }
    Ok(match name.contains("mpi_abi") {
        true => Handles { group: 0x101, byte: 0x247, errors_return: 0x142, any_source: -1 },
        false => Handles { group: 0x4400_0000, byte: 0x4c00_010d, errors_return: 0x5400_0001, any_source: -2 },
    })
}

/// Returns the first line of the library's version.
fn version(get: unsafe extern "C" fn(*mut c_char, *mut c_int) -> c_int) -> String {
    let (mut text, mut length) = (vec![0u8; VERSION_BYTES], 0);
    // SAFETY: the buffer has the largest length of all families.
    let result = unsafe { get(text.as_mut_ptr().cast(), &raw mut length) };
    let text = CStr::from_bytes_until_nul(&text).unwrap_or_default().to_string_lossy();
    let first = text.split(['\n', ',']).next().unwrap_or_default().trim();
    if result == 0 { first.split_whitespace().collect::<Vec<_>>().join(" ") } else { String::new() }
}

fn check(call: &str, result: c_int) -> Result<(), MpiError> {
    if result == 0 { Ok(()) } else { Err(MpiError(format!("{call} failed with error {result}"))) }
}

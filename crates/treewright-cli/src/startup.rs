//! How the program was started.
//!
//! Before `main` the standard library opens whatever of standard input, output and error is closed, to
//! nowhere. A result would vanish there, and nobody would know. So the program looks before that.

use std::sync::atomic::{AtomicBool, Ordering};

static STDOUT_WAS_CLOSED: AtomicBool = AtomicBool::new(false);

/// Was standard output closed when the program was started? Known on Linux and macOS.
pub(crate) fn stdout_was_closed() -> bool {
    STDOUT_WAS_CLOSED.load(Ordering::Relaxed)
}

/// Runs before `main`. Nothing of the standard library is ready then, so it only asks the system.
#[cfg(any(target_os = "linux", target_os = "macos"))]
extern "C" fn look() {
    use nix::errno::Errno;
    use std::os::fd::AsFd;
    let again = std::io::stdout().as_fd().try_clone_to_owned();
    let is_closed = again.is_err_and(|error| error.raw_os_error() == Some(Errno::EBADF as i32));
    STDOUT_WAS_CLOSED.store(is_closed, Ordering::Relaxed);
}

#[cfg(any(target_os = "linux", target_os = "macos"))]
#[used]
#[expect(
    unsafe_code,
    reason = "the only way to run before the standard library covers the closed output up"
)]
#[cfg_attr(target_os = "linux", unsafe(link_section = ".init_array"))]
#[cfg_attr(target_os = "macos", unsafe(link_section = "__DATA,__mod_init_func"))]
static LOOK: extern "C" fn() = look;

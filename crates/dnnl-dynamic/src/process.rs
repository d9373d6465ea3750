//! A process of its own for a library: libraries need different loader paths and OpenCL drivers, their threads must not get
//! into each other's way, and a crash in one is an answer, not the end of the run.
//!
//! Parent and child talk over the child's standard input, which is a socket; standard output stays free for what the
//! library prints.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A running process with a socket to it.
pub struct Process {
    child: Child,
    /// The parent's end.
    pub socket: UnixStream,
    patience: Duration,
}

impl Process {
    /// Starts a command, which finds the socket with [`parent`].
    pub fn start(mut command: Command, patience: Duration) -> io::Result<Process> {
        let (ours, theirs) = UnixStream::pair()?;
        ours.set_read_timeout(Some(patience))?;
        let child = command.stdin(Stdio::from(OwnedFd::from(theirs))).spawn()?;
        Ok(Process { child, socket: ours, patience })
    }

    /// Ends a process whose answer did not come, and says how it went.
    pub fn end(mut self, error: &io::Error) -> String {
        let hung = matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut);
        if hung {
            // It may have ended by itself in the meantime.
            let _ = self.child.kill();
        }
        match self.child.wait() {
            _ if hung => format!("no answer within {} s", self.patience.as_secs()),
            Ok(status) => match status.signal() {
                Some(signal) => format!("killed by signal {signal}"),
                None => format!("ended with {status}"),
            },
            Err(error) => format!("lost: {error}"),
        }
    }

    /// Hangs up and waits for the process to end.
    pub fn close(self) {
        let Process { mut child, socket, .. } = self;
        drop(socket);
        // Its exit status does not matter any more.
        let _ = child.wait();
    }
}

/// The child's end of the socket.
pub fn parent() -> io::Result<UnixStream> {
    Ok(UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?))
}

/// Sets a command's environment for a library whose dependencies and OpenCL driver lie beside it, as those of Intel's build do.
pub fn with_bundle(command: &mut Command, library: &Path) {
    let directory = library.parent().unwrap_or(Path::new("."));
    let mut paths = directory.as_os_str().to_owned();
    if let Some(others) = std::env::var_os("LD_LIBRARY_PATH") {
        paths.push(":");
        paths.push(others);
    }
    command.env("LD_LIBRARY_PATH", paths);
    let driver = directory.join("libintelocl.so");
    if driver.exists() {
        command.env_remove("OCL_ICD_VENDORS").env("OCL_ICD_FILENAMES", driver);
        // Its Level Zero is its own, too.
        command.env_remove("ZE_ENABLE_ALT_DRIVERS");
    }
}

//! Faults of drivers, as data: what is wrong, with whom, and how it shows.
//!
//! A fault is written down here when it was seen, and the code that steps around it asks [`Device::has_fault`], so a fixed
//! driver is one line less here and nothing to hunt for elsewhere.
//!
//! [`Device::has_fault`]: super::Device::has_fault

/// Something a driver does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// A blocking write on one queue may not be seen by a kernel that another queue runs afterwards.
    WriteUnseenByOtherQueues,
    /// Kernels on explicit vector types may compute wrong values.
    WrongVectors,
    /// What is not a program binary ends the process instead of giving an error.
    AbortsOnBadBinary,
    /// A flush waits for the commands, and for the user events they wait for.
    FlushWaits,
    /// Two threads at once crash it.
    SingleThreaded,
    /// A context made of a sub-device lists the parent in its place.
    SubDeviceNotListed,
}

/// A fault and the drivers that have it.
#[derive(Clone, Copy, Debug)]
pub struct KnownFault {
    /// The platform's name.
    pub platform: &'static str,
    /// How the driver's version begins.
    pub driver: &'static str,
    /// What is wrong.
    pub fault: Fault,
    /// How it was seen.
    pub reason: &'static str,
}

/// Every fault known.
pub const FAULTS: &[KnownFault] = &[
    KnownFault {
        platform: "Intel(R) OpenCL",
        driver: "2026.",
        fault: Fault::WriteUnseenByOtherQueues,
        reason: "in 0 to 38 of 200 tries a kernel on a second queue read the old bytes; clFinish after the write cures it",
    },
    KnownFault {
        platform: "rusticl",
        driver: "22.3",
        fault: Fault::WrongVectors,
        reason: "a matrix product on float16 registers was wrong on llvmpipe, right on every other driver",
    },
    KnownFault {
        platform: "rusticl",
        driver: "22.3",
        fault: Fault::AbortsOnBadBinary,
        reason: "clCreateProgramWithBinary panics with 'unknown version' and a panic aborts",
    },
    KnownFault {
        platform: "Oclgrind",
        driver: "",
        fault: Fault::FlushWaits,
        reason: "commands run on the thread that flushes, and a user event that nobody sets keeps it there",
    },
    KnownFault {
        platform: "Oclgrind",
        driver: "",
        fault: Fault::SingleThreaded,
        reason: "four threads with queues of their own end in an abort",
    },
    KnownFault {
        platform: "Portable Computing Language",
        driver: "3.",
        fault: Fault::SubDeviceNotListed,
        reason: "CL_CONTEXT_DEVICES of a context made of a sub-device holds its parent",
    },
];

/// The faults of one driver.
pub(super) fn of(platform: &str, driver: &str) -> impl Iterator<Item = Fault> {
    FAULTS.iter().filter(move |known| platform == known.platform && driver.starts_with(known.driver)).map(|k| k.fault)
}

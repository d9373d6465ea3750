//! What schedules may know of a device: numbers and abilities, never its name.

/// Drivers often tell the size of an inner cache or none; there is hardly a machine whose outermost is smaller than this.
pub const LEAST_CACHE: usize = 16 << 20;

/// The class of a device; it decides which form of a schedule runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeviceType {
    /// Few fat cores: explicit vectors, one work-item a work-group.
    Cpu,
    /// Many thin lanes: local memory, sub-groups.
    Gpu,
    /// Anything else; treated like a GPU.
    Accelerator,
}

/// What `OXIDNN_DEVICE_PROFILE` says of all devices, whatever they say themselves: for tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// They are CPUs.
    Cpu,
    /// They are CPUs with vectors of 32 bytes at the most, and without products of groups or tiles.
    Avx2,
    /// They are CPUs with vectors of 32 bytes at the most, and dot products of these.
    AvxVnni,
    /// They are CPUs with vectors of 64 bytes; what the processor lacks, compilers make of shorter ones.
    Avx512,
    /// They are CPUs that multiply tiles.
    Amx,
    /// They are GPUs.
    Gpu,
}

impl Asked {
    pub fn get() -> Option<Asked> {
        match std::env::var("OXIDNN_DEVICE_PROFILE").as_deref() {
            Ok("cpu") => Some(Asked::Cpu),
            Ok("avx2") => Some(Asked::Avx2),
            Ok("avxvnni") => Some(Asked::AvxVnni),
            Ok("avx512") => Some(Asked::Avx512),
            Ok("amx") => Some(Asked::Amx),
            Ok("gpu") => Some(Asked::Gpu),
            _ => None,
        }
    }

    pub fn class(self) -> DeviceType {
        if self == Asked::Gpu { DeviceType::Gpu } else { DeviceType::Cpu }
    }

    /// Bytes of a vector, of a device that tells so many.
    pub fn vector_bytes(told: usize) -> usize {
        match Asked::get() {
            Some(Asked::Avx2 | Asked::AvxVnni) => told.min(32),
            Some(Asked::Avx512) => 64,
            Some(Asked::Cpu | Asked::Amx | Asked::Gpu) | None => told,
        }
    }
}

/// How host and device can share pointers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UsmSupport {
    /// Not at all.
    None,
    /// Core OpenCL 2 shared virtual memory.
    Svm,
    /// `cl_intel_unified_shared_memory`, or Level Zero.
    Usm,
}

/// What work-items of a work-group can do together without local memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SubGroups {
    /// Nothing: the compiler does not know the functions for it.
    None,
    /// They form sub-groups of as many as the compiler likes.
    Any,
    /// They form sub-groups of so many where a kernel requires it.
    Of(usize),
}

/// Abilities and sizes of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceProfile {
    /// Its class.
    pub device_type: DeviceType,
    /// The name it reports, for people.
    pub name: String,
    /// The vendor it reports, for people.
    pub vendor: String,
    /// The driver version it reports, for people.
    pub driver: String,
    /// The highest clock frequency in Hz, where it is known.
    pub frequency: Option<u64>,
    /// Number of compute units.
    pub compute_units: usize,
    /// Largest work-group.
    pub max_work_group: usize,
    /// Bytes of local memory.
    pub local_memory: usize,
    /// Largest single allocation in bytes.
    pub max_allocation: u64,
    /// Bytes of the vector registers that suit it (64 for AVX-512), 4 where it is scalar.
    pub vector_bytes: usize,
    /// Bytes of its largest cache, or a guess: what is much larger does not stay.
    pub cache_bytes: usize,
    /// Bytes of the cache that each core of a CPU has for itself.
    pub core_cache_bytes: usize,
    /// Whether a CPU's outermost cache is filled by what inner ones drop, so that what is read once had better not get there.
    pub drops_outward: bool,
    /// Whether it computes with doubles.
    pub fp64: bool,
    /// Whether it computes with halves.
    pub fp16: bool,
    /// Whether a CPU converts a vector of halves in the time of two multiplications rather than as it loads them.
    pub slow_halves: bool,
    /// Its sub-groups.
    pub sub_groups: SubGroups,
    /// Whether its compiler accepts clang's built-ins (prefetch, non-temporal stores).
    pub clang_builtins: bool,
    /// Whether its processor has dot products of bytes for its vectors, and its compiler takes x86-64 assembly.
    pub dot_int8: bool,
    /// Whether these are AVX-VNNI's and not AVX-512's, whose names are the same but not their encoding.
    pub dot_vex: bool,
    /// Whether registers may be longer than vectors: instructions on vectors of 32 bytes clear the other half of registers of 64.
    pub long_registers: bool,
    /// Whether its processor has AVX2's dot products of pairs of 16 bits, and its compiler takes x86-64 assembly.
    pub pairs_int8: bool,
    /// Whether its processor has AVX-512's dot products of bf16, and its compiler takes x86-64 assembly.
    pub dot_bf16: bool,
    /// Whether its processor multiplies tiles of bytes (AMX), and its compiler takes x86-64 assembly.
    pub amx_int8: bool,
    /// The same for tiles of bf16.
    pub amx_bf16: bool,
    /// How it shares pointers with the host.
    pub usm: UsmSupport,
    /// Which of the forms that a schedule could give a stage it takes, in the order of what they are expected to cost: the
    /// first, unless measurements told otherwise.
    pub rank: usize,
}

impl DeviceProfile {
    /// How many vector registers a CPU has.
    pub fn vector_registers(&self) -> i64 {
        if self.vector_bytes >= 64 { 32 } else { 16 }
    }
}

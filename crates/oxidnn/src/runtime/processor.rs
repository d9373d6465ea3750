//! The processor that this program runs on, which is also what a CPU-type device of its machine runs on, and what compilers for
//! it take.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::profile::Asked;

/// Products of tiles that it has, and that the operating system lets this process use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tiles {
    pub int8: bool,
    pub bf16: bool,
}

/// Dot products that it has for vectors of some size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Dots {
    pub int8: bool,
    /// Whether those of bytes are AVX-VNNI's.
    pub vex: bool,
    pub bf16: bool,
    /// Whether there are those of pairs of 16 bits.
    pub pairs: bool,
}

/// OpenCL C that a compiler takes if it takes the assembly of tiles.
const TILES_TEXT: &str = r#"kernel void f(global uint *p) {
    __asm__ __volatile__("ldtilecfg (%0)\n tilezero %%tmm0\n tileloadd (%1,%2), %%tmm1\n"
        "tdpbusd %%tmm1, %%tmm1, %%tmm0\n tdpbf16ps %%tmm1, %%tmm1, %%tmm0\n tilestored %%tmm0, (%1,%2)\n tilerelease"
        : : "r"(p), "r"(p + 16), "r"(64ul) : "memory");
}"#;

/// OpenCL C that a compiler takes if it knows registers of 64 bytes.
const LONG_REGISTERS_TEXT: &str = r#"kernel void f(global uint *p) {
    __asm__ __volatile__("vmovups %%zmm0, (%0)" : : "r"(p) : "memory");
}"#;

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
mod known {
    pub fn core_cache() -> Option<usize> {
        None
    }

    pub fn is_intel() -> bool {
        false
    }

    pub fn is_amd() -> bool {
        false
    }

    pub fn has_long_registers() -> bool {
        false
    }

    pub fn has_pairs() -> bool {
        false
    }

    pub fn has_dot_int8() -> bool {
        false
    }

    pub fn has_vex_dots() -> bool {
        false
    }

    pub fn has_dot_bf16() -> bool {
        false
    }

    pub fn tiles() -> super::Tiles {
        super::Tiles::default()
    }
}

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
mod known {
    use std::arch::{asm, is_x86_feature_detected};
    use std::sync::OnceLock;

    use raw_cpuid::CpuId;

    use super::{Asked, Tiles};

    pub fn core_cache() -> Option<usize> {
        let caches = CpuId::new().get_l2_l3_cache_and_tlb_info()?;
        Some(usize::from(caches.l2cache_size()) << 10).filter(|&bytes| bytes > 0)
    }

    pub fn is_intel() -> bool {
        is_made_by("GenuineIntel")
    }

    pub fn is_amd() -> bool {
        is_made_by("AuthenticAMD")
    }

    fn is_made_by(name: &str) -> bool {
        CpuId::new().get_vendor_info().is_some_and(|vendor| vendor.as_str() == name)
    }

    pub fn has_pairs() -> bool {
        is_x86_feature_detected!("avx2")
    }

    pub fn has_long_registers() -> bool {
        is_x86_feature_detected!("avx512f")
    }

    pub fn has_dot_int8() -> bool {
        is_x86_feature_detected!("avx512vnni") && is_x86_feature_detected!("avx512vl")
    }

    pub fn has_vex_dots() -> bool {
        static FOUND: OnceLock<bool> = OnceLock::new();
        *FOUND.get_or_init(|| {
            let features = CpuId::new().get_extended_feature_info();
            let told = features.is_some_and(|features| features.has_avx_vnni());
            told && is_x86_feature_detected!("avx2") && multiplies_groups()
        })
    }

    /// Multiplies groups of bytes by AVX-VNNI, encoded as kernels have it, and looks at the result.
    fn multiplies_groups() -> bool {
        let (rows, columns, mut sums) = ([200u8; 32], [-3i8; 32], [7i32; 8]);
        // SAFETY: the processor has the instruction, and AVX2; all pointers lead to 32 bytes.
        unsafe {
            asm!(
                "vmovdqu ymm1, [{rows}]",
                "vmovdqu ymm2, [{columns}]",
                "vmovdqu ymm3, [{sums}]",
                // vpdpbusd ymm3, ymm1, ymm2
                ".byte 0xc4, 0xe2, 0x75, 0x50, 0xda",
                "vmovdqu [{sums}], ymm3",
                rows = in(reg) &raw const rows,
                columns = in(reg) &raw const columns,
                sums = in(reg) &raw mut sums,
                out("ymm1") _,
                out("ymm2") _,
                out("ymm3") _,
                options(nostack),
            );
        }
        sums == [7 - 4 * 600; 8]
    }

    pub fn has_dot_bf16() -> bool {
        // On Intel's processors they are half as fast as products of f32.
        is_x86_feature_detected!("avx512bf16") && !is_intel()
    }

    pub fn tiles() -> Tiles {
        static TILES: OnceLock<Tiles> = OnceLock::new();
        *TILES.get_or_init(|| {
            let features = CpuId::new().get_extended_feature_info();
            let told = features
                .filter(|features| features.has_amx_tile())
                .map(|features| Tiles { int8: features.has_amx_int8(), bf16: features.has_amx_bf16() });
            let found = match Asked::get() {
                Some(Asked::Amx) => Tiles { int8: true, bf16: true },
                Some(Asked::Avx512 | Asked::AvxVnni | Asked::Avx2) => Tiles::default(),
                _ => told.filter(|_| is_permitted()).unwrap_or_default(),
            };
            if found.int8 && multiplies_bytes() { found } else { Tiles::default() }
        })
    }

    /// Asks the operating system for the registers of tiles, for all threads; those of OpenCL runtimes are among them.
    fn is_permitted() -> bool {
        const ARCH_REQ_XCOMP_PERM: libc::c_long = 0x1023;
        const TILE_DATA: libc::c_long = 18;
        // SAFETY: the call takes two numbers and changes nothing but what this process may use.
        unsafe { libc::syscall(libc::SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, TILE_DATA) == 0 }
    }

    /// Multiplies a tile of bytes, and looks at the result.
    fn multiplies_bytes() -> bool {
        let mut shapes = [0u8; 64];
        shapes[0] = 1;
        for register in 0..3 {
            shapes[16 + 2 * register] = 64;
            shapes[48 + register] = 16;
        }
        let (ones, threes) = ([1u8; 1024], [3u8; 1024]);
        let mut sums = [0u32; 256];
        // SAFETY: the processor has the instructions, and the operating system permits them; all pointers lead to what the
        // shapes describe, and no other code uses the registers.
        unsafe {
            asm!(
                "ldtilecfg [{shapes}]",
                "tilezero tmm0",
                "tileloadd tmm1, [{a} + {stride}]",
                "tileloadd tmm2, [{b} + {stride}]",
                "tdpbuud tmm0, tmm1, tmm2",
                "tilestored [{sums} + {stride}], tmm0",
                "tilerelease",
                shapes = in(reg) &raw const shapes,
                a = in(reg) &raw const ones,
                b = in(reg) &raw const threes,
                sums = in(reg) &raw mut sums,
                stride = in(reg) 64usize,
                options(nostack),
            );
        }
        sums == [192; 256]
    }
}

/// What a core's own cache has where the processor does not tell.
const USUAL_CORE_CACHE: usize = 1 << 20;

/// Bytes of the cache that each core has for itself.
pub(super) fn core_cache() -> usize {
    known::core_cache().unwrap_or(USUAL_CORE_CACHE)
}

/// Whether its outermost cache holds what inner ones dropped, and lines that are asked for once do not get there: AMD's does.
pub(super) fn drops_outward() -> bool {
    known::is_amd()
}

/// Whether it converts a vector of halves in the time of two multiplications: Intel's do, by the units that multiply.
pub(super) fn has_slow_halves() -> bool {
    known::is_intel()
}

/// The dot products that it has for vectors of so many bytes.
pub(super) fn dots(vector_bytes: usize) -> Dots {
    match vector_bytes {
        64 => Dots { int8: known::has_dot_int8(), bf16: known::has_dot_bf16(), ..Dots::default() },
        32 => {
            let asked = Asked::get();
            let vex = asked != Some(Asked::Avx2) && known::has_vex_dots();
            // AVX-512's for vectors of this size compute the same.
            let instead = asked == Some(Asked::AvxVnni) && known::has_dot_int8();
            Dots { int8: vex || instead, vex, pairs: known::has_pairs(), ..Dots::default() }
        }
        _ => Dots::default(),
    }
}

/// The products of tiles that a device of this identity can use, if `compile` takes their assembly.
pub(super) fn tiles(identity: Vec<u8>, compile: impl FnOnce(&str) -> bool) -> Tiles {
    let tiles = known::tiles();
    if tiles != Tiles::default() && compiles(identity, TILES_TEXT, compile) { tiles } else { Tiles::default() }
}

/// Whether the compiler of devices of this identity may use registers of 64 bytes, whatever the length of vectors is.
pub(super) fn has_long_registers(identity: Vec<u8>, compile: impl FnOnce(&str) -> bool) -> bool {
    known::has_long_registers() && compiles(identity, LONG_REGISTERS_TEXT, compile)
}

/// Whether the compiler of devices of this identity takes a text. Nothing tells but trying, which is done once.
pub(super) fn compiles(identity: Vec<u8>, text: &'static str, compile: impl FnOnce(&str) -> bool) -> bool {
    static TRIED: Mutex<BTreeMap<(Vec<u8>, &str), bool>> = Mutex::new(BTreeMap::new());
    let mut tried = TRIED.lock().unwrap_or_else(PoisonError::into_inner);
    *tried.entry((identity, text)).or_insert_with(|| compile(text))
}

//! The fastest the processor itself can multiply and add, and move bytes, on all its cores.

use std::sync::Barrier;
use std::time::Instant;

/// Independent chains of fused multiply-adds, enough to hide their latency.
const CHAINS: usize = 12;

/// Single-precision operations per second of the processor.
pub fn peak_flops() -> f64 {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let (step, lanes) = kernel();
    let mut steps = 100_000u64;
    let mut best = 0.0f64;
    for _ in 0..20 {
        let barrier = Barrier::new(threads);
        let start = Instant::now();
        std::thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    barrier.wait();
                    step(steps);
                });
            }
        });
        let seconds = start.elapsed().as_secs_f64();
        best = best.max((threads * lanes * CHAINS * 2) as f64 * steps as f64 / seconds);
        if seconds < 5e-3 {
            steps *= 4;
        }
    }
    best
}

/// Bytes per second the processor reads and writes when all its cores copy what no cache holds.
pub fn peak_bytes() -> f64 {
    const SIZE: usize = 64 << 20;
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut pairs: Vec<(Vec<u8>, Vec<u8>)> =
        (0..threads).map(|_| (vec![1; SIZE / threads], vec![2; SIZE / threads])).collect();
    let moved = pairs.iter().map(|(from, _)| 2 * from.len()).sum::<usize>();
    let mut best = 0.0f64;
    for _ in 0..8 {
        let start = Instant::now();
        std::thread::scope(|scope| {
            for (from, to) in &mut pairs {
                scope.spawn(|| to.copy_from_slice(std::hint::black_box(from)));
            }
        });
        best = best.max(moved as f64 / start.elapsed().as_secs_f64());
    }
    best
}

#[cfg(target_arch = "x86_64")]
macro_rules! chains {
    ($name:ident, $register:literal) => {
        fn $name(steps: u64) {
            // SAFETY: the caller found the instructions on this processor; registers are declared, memory is not touched.
            unsafe {
                std::arch::asm!(
                    concat!("vxorps ", $register, "14, ", $register, "14, ", $register, "14"),
                    concat!("vxorps ", $register, "15, ", $register, "15, ", $register, "15"),
                    "2:",
                    concat!("vfmadd213ps ", $register, "0, ", $register, "14, ", $register, "15"),
                    concat!("vfmadd213ps ", $register, "1, ", $register, "14, ", $register, "15"),
                    concat!("vfmadd213ps ", $register, "2, ", $register, "14, ", $register, "15"),
                    concat!("vfmadd213ps ", $register, "3, ", $register, "14, ", $register, "15"),
                    concat!("vfmadd213ps ", $register, "4, ", $register, "14, ", $register, "15"),
                    concat!("vfmadd213ps ", $register, "5, ", $register, "14, ", $register, "15"),
                    concat!("vfmadd213ps ", $register, "6, ", $register, "14, ", $register, "15"),
                    concat!("vfmadd213ps ", $register, "7, ", $register, "14, ", $register, "15"),
                    concat!("vfmadd213ps ", $register, "8, ", $register, "14, ", $register, "15"),
                    concat!("vfmadd213ps ", $register, "9, ", $register, "14, ", $register, "15"),
                    concat!("vfmadd213ps ", $register, "10, ", $register, "14, ", $register, "15"),
                    concat!("vfmadd213ps ", $register, "11, ", $register, "14, ", $register, "15"),
                    "dec {steps}",
                    "jnz 2b",
                    "vzeroupper",
                    steps = inout(reg) steps => _,
                    out("xmm0") _, out("xmm1") _, out("xmm2") _, out("xmm3") _, out("xmm4") _, out("xmm5") _,
                    out("xmm6") _, out("xmm7") _, out("xmm8") _, out("xmm9") _, out("xmm10") _, out("xmm11") _,
                    out("xmm14") _, out("xmm15") _,
                    options(nomem, nostack),
                );
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
chains!(chains_of_sixteen, "zmm");
#[cfg(target_arch = "x86_64")]
chains!(chains_of_eight, "ymm");

/// The widest loop this processor has, and how many numbers it works on at once.
fn kernel() -> (fn(u64), usize) {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq") {
            return (chains_of_sixteen, 16);
        }
        if is_x86_feature_detected!("fma") {
            return (chains_of_eight, 8);
        }
    }
    (portable, 8)
}

fn portable(steps: u64) {
    let mut chains = [[0.5f32; 8]; CHAINS];
    for _ in 0..steps {
        for x in chains.as_flattened_mut() {
            *x = *x * 0.5 + 0.25;
        }
    }
    std::hint::black_box(chains);
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_processor_of_today_does_a_gigaflop() {
        let peak = super::peak_flops();
        assert!(peak > 1e9 && peak < 1e15, "{peak:e}");
    }

    #[test]
    fn every_processor_of_today_moves_a_hundred_megabytes_a_second() {
        let peak = super::peak_bytes();
        assert!(peak > 1e8 && peak < 1e14, "{peak:e}");
    }
}

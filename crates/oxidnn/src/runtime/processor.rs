//! The processor that this program runs on, which is also what a CPU-type device of its machine runs on.

/// Whether it has AVX-512's dot products of bytes.
pub(super) fn has_dot_int8() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx512vnni");
    #[cfg(not(target_arch = "x86_64"))]
    return false;
}

/// Whether it has AVX-512's dot products of bf16.
pub(super) fn has_dot_bf16() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("avx512bf16");
    #[cfg(not(target_arch = "x86_64"))]
    return false;
}

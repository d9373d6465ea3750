//! The functions that generated text may call. Only those a kernel uses are put in front of it.
//!
//! Conversions go through bits, so they need no extension and mean the same on every device.

use super::functions::FUNCTIONS;

/// Conversions and what else is no function of floats, by name, in an order in which each uses only earlier ones.
const CONVERSIONS: &[(&str, &str)] = &[
    ("zeros", "__constant uchar zeros[4096] __attribute__((aligned(64))) = {0};\n"),
    // Vectors of which lanes from `end` on are zero and not read. `B` is what bits of an element are.
    (
        "until",
        "#define DEFINE_UNTIL(T, B, V, N, LOAD) \\
__attribute__((noinline)) V until_end_##T##N(const __global T *p, const __global T *end) { \\
  B x[N]; \\
  for (int i = 0; i < N; ++i) x[i] = p + i < end ? ((const __global B *)p)[i] : (B)0; \\
  return LOAD##N(0, (const T *)x); } \\
__attribute__((always_inline)) V until_##T##N(const __global T *p, const __global T *end) { \\
  if (p + N <= end) return LOAD##N(0, p); \\
  return until_end_##T##N(p, end); }
#define DEFINE_UNTIL_OF(T) DEFINE_UNTIL(T, T, T##4, 4, vload) DEFINE_UNTIL(T, T, T##8, 8, vload) DEFINE_UNTIL(T, T, T##16, 16, vload)
DEFINE_UNTIL_OF(float)
DEFINE_UNTIL_OF(int)
DEFINE_UNTIL_OF(ushort)
DEFINE_UNTIL_OF(char)
DEFINE_UNTIL_OF(uchar)
DEFINE_UNTIL(half, ushort, float4, 4, vload_half)
DEFINE_UNTIL(half, ushort, float8, 8, vload_half)
DEFINE_UNTIL(half, ushort, float16, 16, vload_half)
#ifdef cl_khr_fp64
DEFINE_UNTIL_OF(double)
#endif
",
    ),
    ("from_bf16", "float from_bf16(ushort x) { return as_float((uint)x << 16); }\n"),
    (
        "to_bf16",
        "ushort to_bf16(float x) {
  uint u = as_uint(x);
  return isnan(x) ? (ushort)((u >> 16) | 64) : (ushort)((u + 0x7fff + ((u >> 16) & 1)) >> 16);
}
",
    ),
    // Small floats of `m` mantissa bits and exponent bias `bias`: the magnitude is decoded by scaling its bits, placed as
    // an f32's exponent and mantissa, by a power of two, which also normalises denormals.
    (
        "from_small",
        "float from_small(uint magnitude, uint sign, int m, int bias) {
  uint e = magnitude >> m, f = magnitude & ((1u << m) - 1);
  float v = e ? as_float(((e + 127 - bias) << 23) | (f << (23 - m))) : (float)f * as_float((uint)(128 - bias - m) << 23);
  return sign ? -v : v;
}
",
    ),
    // Rounds to nearest even on the grid of the small type; `top` is the largest finite magnitude code.
    (
        "to_small",
        "uint to_small(float x, int m, int bias) {
  uint u = as_uint(x) & 0x7fffffff;
  int e = (int)(u >> 23) - 127 + bias;
  if (e >= 1) {
    uint drop = 23 - m;
    u += ((1u << (drop - 1)) - 1) + ((u >> drop) & 1);
    return (u >> drop) - ((uint)(127 - bias) << m);
  }
  if (u < 0x00800000) return 0;
  return (uint)convert_int_rte(as_float(u) * as_float((uint)(126 + bias + m) << 23));
}
",
    ),
    (
        "from_e5m2",
        "float from_e5m2(uchar x) {
  uint mag = x & 127;
  if (mag >= 124) return mag == 124 ? (x & 128 ? -INFINITY : INFINITY) : NAN;
  return from_small(mag, x >> 7, 2, 15);
}
",
    ),
    (
        "to_e5m2",
        "uchar to_e5m2(float x) {
  uchar s = (uchar)((as_uint(x) >> 24) & 128);
  if (isnan(x)) return s | 127;
  uint c = to_small(x, 2, 15);
  return s | (uchar)min(c, 124u);
}
",
    ),
    (
        "from_e4m3",
        "float from_e4m3(uchar x) {
  uint mag = x & 127;
  return mag == 127 ? NAN : from_small(mag, x >> 7, 3, 7);
}
",
    ),
    (
        "to_e4m3",
        "uchar to_e4m3(float x) {
  uchar s = (uchar)((as_uint(x) >> 24) & 128);
  if (isnan(x)) return s | 127;
  uint c = to_small(x, 3, 7);
  return s | (uchar)min(c, 127u);
}
",
    ),
    // The same for vectors, without branches: denormals are taken from the grid of the smallest normal numbers.
    (
        "from_e5m2_n",
        "#define DEFINE_FROM_E5M2(N) __attribute__((always_inline)) float##N from_e5m2_##N(uchar##N x) { \\
  const uint##N u = convert_uint##N(x), m = u & 127u, top = m > 123u ? (uint##N)(224u << 23) : (uint##N)(112u << 23); \\
  const float##N small = as_float##N((m << 21) + (113u << 23)) - 0x1p-14f; \\
  const float##N v = m < 4u ? small : as_float##N((m << 21) + top); \\
  return as_float##N(as_uint##N(v) | ((u & 128u) << 24)); \\
}
DEFINE_FROM_E5M2(4)
DEFINE_FROM_E5M2(8)
DEFINE_FROM_E5M2(16)
",
    ),
    (
        "from_e4m3_n",
        "#define DEFINE_FROM_E4M3(N) __attribute__((always_inline)) float##N from_e4m3_##N(uchar##N x) { \\
  const uint##N u = convert_uint##N(x), m = u & 127u; \\
  const float##N small = as_float##N((m << 20) + (121u << 23)) - 0x1p-6f; \\
  float##N v = m < 8u ? small : as_float##N((m << 20) + (120u << 23)); \\
  v = m == 127u ? (float##N)(NAN) : v; \\
  return as_float##N(as_uint##N(v) | ((u & 128u) << 24)); \\
}
DEFINE_FROM_E4M3(4)
DEFINE_FROM_E4M3(8)
DEFINE_FROM_E4M3(16)
",
    ),
    // `grid` is the distance of denormals, times 2 to the power of 23: what is added to it is rounded to that distance.
    (
        "to_small_n",
        "#define DEFINE_TO_SMALL(N) \\
__attribute__((always_inline)) uchar##N to_small_##N(float##N x, uint m, uint bias, uint grid, uint most) { \\
  const uint##N bits = as_uint##N(x), u = bits & 0x7fffffffu, drop = (uint##N)(23u - m); \\
  const uint##N even = (u >> drop) & 1u; \\
  const uint##N normal = ((u + ((1u << (22u - m)) - 1u) + even) >> drop) - ((127u - bias) << m); \\
  const uint##N small = as_uint##N(as_float##N(u) + as_float(grid)) - grid; \\
  uint##N c = u < (128u - bias) << 23 ? small : normal; \\
  c = u > 0x7f800000u ? (uint##N)(127u) : min(c, (uint##N)(most)); \\
  return convert_uchar##N(c | ((bits >> 24) & 128u)); \\
}
DEFINE_TO_SMALL(4)
DEFINE_TO_SMALL(8)
DEFINE_TO_SMALL(16)
",
    ),
    ("from_e8m0", "float from_e8m0(uchar x) { return x == 255 ? NAN : x ? as_float((uint)x << 23) : as_float(1u << 22); }\n"),
    ("to_e8m0", "uchar to_e8m0(float x) { return (uchar)(as_uint(x) >> 23); }\n"),
    ("from_e2m1", "float from_e2m1(uchar x) { return from_small(x & 7, x >> 3, 1, 1); }\n"),
    (
        "to_e2m1",
        "uchar to_e2m1(float x) {
  uchar s = (uchar)((as_uint(x) >> 28) & 8);
  return isnan(x) ? s | 7 : s | (uchar)min(to_small(x, 1, 1), 7u);
}
",
    ),
    ("from_e3m0", "float from_e3m0(uchar x) { return from_small(x & 7, x >> 3, 0, 3); }\n"),
    (
        "to_e3m0",
        "uchar to_e3m0(float x) {
  uchar s = (uchar)((as_uint(x) >> 28) & 8);
  return isnan(x) ? s | 7 : s | (uchar)min(to_small(x, 0, 3), 7u);
}
",
    ),
    ("from_s4", "int from_s4(uchar x) { return (int)((x ^ 8) & 15) - 8; }\n"),
    // A vector rounded to the upper halves of words; a NaN that carries is none afterwards.
    (
        "even_bf16",
        "__attribute__((always_inline)) uint16 even_bf16(float16 x) {
  const uint16 bits = as_uint16(x), up = bits + 0x7fff;
  return (bits & 0x10000) != 0 ? up + 1 : up;
}
",
    ),
    // Two vectors, with any NaN, of which it is rare that there is one.
    (
        "round_bf16",
        "__attribute__((always_inline)) void round_bf16(float16 x, float16 y, uint16 *first, uint16 *second) {
  uint16 low = even_bf16(x), high = even_bf16(y);
  if (any(isunordered(x, y))) {
    low = isnan(x) ? as_uint16(x) | 0x400000 : low;
    high = isnan(y) ? as_uint16(y) | 0x400000 : high;
  }
  *first = low;
  *second = high;
}
",
    ),
    // The upper halves of two vectors of words: as halves of others, or side by side.
    (
        "join_bf16",
        "__attribute__((always_inline)) uint16 join_bf16(uint16 low, uint16 high) {
  return (low >> 16) | (high & 0xffff0000);
}
",
    ),
    (
        "pack_bf16",
        "#define UPPER_HALVES(x) as_uint8((ushort16)(as_ushort16((x).lo).odd, as_ushort16((x).hi).odd))
__attribute__((always_inline)) uint16 pack_bf16(uint16 low, uint16 high) {
  return (uint16)(UPPER_HALVES(low), UPPER_HALVES(high));
}
",
    ),
    // Vectors of bytes: adding a large number rounds to the nearest whole number, which is then in the lowest bits. What is no number
    // is the least.
    (
        "to_s8",
        "#define DEFINE_TO_S8(N) __attribute__((always_inline)) char##N to_s8_##N(float##N x) { \\
  x = x > -128.0f ? x : (float##N)(-128.0f); \\
  x = x < 127.0f ? x : (float##N)(127.0f); \\
  return as_char##N(convert_uchar##N(as_uint##N(x + 12582912.0f))); }
DEFINE_TO_S8(4)
DEFINE_TO_S8(8)
DEFINE_TO_S8(16)
",
    ),
    (
        "to_u8",
        "#define DEFINE_TO_U8(N) __attribute__((always_inline)) uchar##N to_u8_##N(float##N x) { \\
  x = x > 0.0f ? x : (float##N)(0.0f); \\
  x = x < 255.0f ? x : (float##N)(255.0f); \\
  return convert_uchar##N(as_uint##N(x + 12582912.0f)); }
DEFINE_TO_U8(4)
DEFINE_TO_U8(8)
DEFINE_TO_U8(16)
",
    ),
    // What is no number becomes zero, as OpenCL's own conversion has it.
    (
        "to_s32",
        "#define DEFINE_TO_S32(N) __attribute__((always_inline)) int##N to_s32_##N(float##N x) { \\
  x = rint(x); \\
  float##N y = x > -0x1p31f ? x : (float##N)(-0x1p31f); \\
  y = y < 0x1p31f ? y : (float##N)(0.0f); \\
  const int##N i = x < 0x1p31f ? convert_int##N(y) : (int##N)(INT_MAX); \\
  return isnan(x) ? (int##N)(0) : i; }
DEFINE_TO_S32(4)
DEFINE_TO_S32(8)
DEFINE_TO_S32(16)
",
    ),
    (
        "philox",
        "uint philox(uint c0, uint c1, uint c2, uint c3, uint k0, uint k1, uint lane) {
  for (int round = 0; round < 10; ++round) {
    uint h0 = mul_hi(0xD2511F53u, c0), l0 = 0xD2511F53u * c0;
    uint h1 = mul_hi(0xCD9E8D57u, c2), l1 = 0xCD9E8D57u * c2;
    c0 = h1 ^ c1 ^ k0; c1 = l1; c2 = h0 ^ c3 ^ k1; c3 = l0;
    k0 += 0x9E3779B9u; k1 += 0xBB67AE85u;
  }
  return lane == 0 ? c0 : lane == 1 ? c1 : lane == 2 ? c2 : c3;
}
",
    ),
    (
        // PoCL 3.1 stores vectors in parts, through memory.
        "put",
        "\
#ifdef POCL_DEVICE_ADDRESS_BITS
#define DEFINE_LOOSE(T, S) typedef T##8 loose_##T##8 __attribute__((aligned(S))); \\
typedef T##16 loose_##T##16 __attribute__((aligned(S)));
DEFINE_LOOSE(float, 4)
DEFINE_LOOSE(int, 4)
DEFINE_LOOSE(ushort, 2)
DEFINE_LOOSE(char, 1)
DEFINE_LOOSE(uchar, 1)
#define put(T, N, space, x, p) (*(space loose_##T##N *)(p) = (x))
#else
#define put(T, N, space, x, p) vstore##N(x, 0, (space T *)(p))
#endif
",
    ),
];

/// The text of the named functions and what they use.
pub(super) fn text(used: &std::collections::BTreeSet<&'static str>) -> String {
    let wanted = |name: &str| {
        used.contains(name)
            || (name == "even_bf16" && used.contains("round_bf16"))
            || (name == "from_small"
                && used.iter().any(|n| matches!(*n, "from_e5m2" | "from_e4m3" | "from_e2m1" | "from_e3m0")))
            || (name == "rsqrt" && used.contains("rroot4"))
            || (name == "estimates"
                && used
                    .iter()
                    .any(|n| matches!(*n, "rsqrt" | "rroot4" | "coarse_phi" | "coarse_slope" | "coarse_sqrt")))
            || (name == "to_small" && used.iter().any(|n| matches!(*n, "to_e5m2" | "to_e4m3" | "to_e2m1" | "to_e3m0")))
    };
    CONVERSIONS.iter().chain(FUNCTIONS).filter(|(name, _)| wanted(name)).map(|(_, text)| *text).collect()
}

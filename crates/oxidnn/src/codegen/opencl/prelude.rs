//! The functions that generated text may call. Only those a kernel uses are put in front of it.
//!
//! Conversions go through bits, so they need no extension and mean the same on every device.

/// Prelude functions by name, in an order in which each uses only earlier ones.
const FUNCTIONS: &[(&str, &str)] = &[
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
    // Where estimates of inverses and of inverse roots are instructions, which for sixteen numbers are exact to 14 bits.
    (
        "estimates",
        "#ifdef __has_attribute
#if __has_attribute(intel_vec_len_hint)
#define ESTIMATE_OF_14_BITS
#endif
#endif
",
    ),
    // Vectors of one over a root. A step of Newton's method makes an estimate exact but for rounding: a factor close to one, or, of zero and
    // infinity, no number.
    (
        "rsqrt",
        "#ifdef ESTIMATE_OF_14_BITS
#define DEFINE_RSQRT(T) __attribute__((always_inline)) T rsqrt_##T(T x) { \\
  T y = native_rsqrt(x); \\
  T f = fma(x * y * -0.5f, y, (T)(1.5f)); \\
  return y * (f > 0.5f ? f : (T)(0.5f)); }
#else
#define DEFINE_RSQRT(T) __attribute__((always_inline)) T rsqrt_##T(T x) { return rsqrt(x); }
#endif
DEFINE_RSQRT(float4)
DEFINE_RSQRT(float8)
DEFINE_RSQRT(float16)
",
    ),
    // The same of a fourth root, with one such step in place of two.
    (
        "rroot4",
        "#ifdef ESTIMATE_OF_14_BITS
#define DEFINE_RROOT4(T) __attribute__((always_inline)) T rroot4_##T(T x) { \\
  T r = native_rsqrt(x), y = r * native_rsqrt(r), yy = y * y; \\
  return fma(0.25f * y, fma(-x * yy, yy, (T)(1.0f)), y); }
#else
#define DEFINE_RROOT4(T) __attribute__((always_inline)) T rroot4_##T(T x) { return rsqrt(x) * rsqrt(rsqrt(x)); }
#endif
DEFINE_RROOT4(float4)
DEFINE_RROOT4(float8)
DEFINE_RROOT4(float16)
",
    ),
    // Roots for what is kept in eight bits: estimates, brought closer once. Roots of numbers of eight bits are at least 2^-18 of themselves away from
    // the middle of two such numbers, so they round as exact ones do; an estimate of 14 bits may be on the other side. Zero and infinity are their
    // own: their inverse roots, times these, are no numbers. Estimates for shorter vectors take numbers that are not normal for zero.
    (
        "coarse_sqrt",
        "#define DEFINE_COARSE_SQRT(T) __attribute__((always_inline)) T coarse_sqrt_##T(T x) { return sqrt(x); }
DEFINE_COARSE_SQRT(float4)
DEFINE_COARSE_SQRT(float8)
#ifdef ESTIMATE_OF_14_BITS
__attribute__((always_inline)) float16 coarse_sqrt_float16(float16 x) {
  const float16 r = native_rsqrt(x), y = x * r;
  return x == 0.0f || x == INFINITY ? x : fma(fma(-y, y, x), 0.5f * r, y);
}
#else
DEFINE_COARSE_SQRT(float16)
#endif
",
    ),
    // Vectors of exponentials: `exp(n ln 2 + r)` is `2^n` times a polynomial in `r`, minimax with an error of 3e-9. Adding a large
    // number rounds to `n`, which is then in the lowest bits. Results below the smallest normal number are zero.
    (
        "exp",
        "#define DEFINE_EXP(T, I) __attribute__((always_inline)) T exp_##T(T x) { \\
  T t = fma(x, (T)(1.44269504f), (T)(12582912.0f)); \\
  T n = t - 12582912.0f; \\
  T r = fma(n, (T)(-0.693145752f), x); \\
  r = fma(n, (T)(-1.42860677e-6f), r); \\
  T p = fma((T)(1.38144026e-3f), r, (T)(8.368786206e-3f)); \\
  p = fma(p, r, (T)(4.166839555e-2f)); \\
  p = fma(p, r, (T)(1.666652005e-1f)); \\
  p = fma(p, r, (T)(4.999999341e-1f)); \\
  p = fma(p, r, (T)(1.0f)); \\
  p = fma(p, r, (T)(1.0f)); \\
  p = as_##T(as_##I(p) + (as_##I(t) << 23)); \\
  p = x < -87.33654f ? (T)(0.0f) : p; \\
  return x <= 88.72283f ? p : x + INFINITY; }
DEFINE_EXP(float4, int4)
DEFINE_EXP(float8, int8)
DEFINE_EXP(float16, int16)
",
    ),
    // The same less one, which is exact for small numbers: from `2^(n - 1)`, since `2^n` may be too large. Below -87 it is minus one.
    (
        "expm1",
        "#define DEFINE_EXPM1(T, I) __attribute__((always_inline)) T expm1_##T(T x) { \\
  const T y = x < -87.0f ? (T)(-87.0f) : x; \\
  const T t = fma(y, (T)(1.44269504f), (T)(12582912.0f)); \\
  const T n = t - 12582912.0f; \\
  T r = fma(n, (T)(-0.693145752f), y); \\
  r = fma(n, (T)(-1.42860677e-6f), r); \\
  T p = fma((T)(1.38144026e-3f), r, (T)(8.368786206e-3f)); \\
  p = fma(p, r, (T)(4.166839555e-2f)); \\
  p = fma(p, r, (T)(1.666652005e-1f)); \\
  p = fma(p, r, (T)(4.999999341e-1f)); \\
  p = fma(p, r * r, r); \\
  const T half_power = as_##T((as_##I(t) << 23) + 0x3f000000); \\
  p = 2.0f * fma(half_power, p, half_power - 0.5f); \\
  return x <= 88.72283f ? p : x + INFINITY; }
DEFINE_EXPM1(float4, int4)
DEFINE_EXPM1(float8, int8)
DEFINE_EXPM1(float16, int16)
",
    ),
    // Logarithms of one more than a number, `u`: that of `2^n (1 + f)`, with `f` small, is `n ln 2` and a polynomial, minimax with a relative error
    // of 6e-9. What `u` was rounded by goes to `f`.
    (
        "log1p",
        "#define DEFINE_LOG1P(T, I) __attribute__((always_inline)) T log1p_##T(T x) { \\
  const T u = x + 1.0f, rest = x - (u - 1.0f); \\
  const I i = as_##I(u) - 0x3f3504f3, e = i >> 23; \\
  T f = as_##T((i & 0x7fffff) + 0x3f3504f3) - 1.0f; \\
  f = fma(rest, as_##T((127 - e) << 23), f); \\
  T p = fma((T)(-7.63449296e-2f), f, (T)(1.27615750e-1f)); \\
  p = fma(p, f, (T)(-1.31601825e-1f)); \\
  p = fma(p, f, (T)(1.42017588e-1f)); \\
  p = fma(p, f, (T)(-1.66233569e-1f)); \\
  p = fma(p, f, (T)(2.00012267e-1f)); \\
  p = fma(p, f, (T)(-2.50008196e-1f)); \\
  p = fma(p, f, (T)(3.33333313e-1f)); \\
  const T s = f * f, n = convert_##T(e); \\
  T y = fma(n, (T)(-2.12194440e-4f), p * f * s); \\
  y = fma(s, (T)(-0.5f), y); \\
  y = fma(n, (T)(0.693359375f), f + y); \\
  y = x < INFINITY ? y : x; \\
  return u > 0.0f ? y : u < 0.0f ? (T)(NAN) : u - INFINITY; }
DEFINE_LOG1P(float4, int4)
DEFINE_LOG1P(float8, int8)
DEFINE_LOG1P(float16, int16)
",
    ),
    // The same of a number from zero to one, by one polynomial, minimax with a relative error of 5e-9.
    (
        "log1p_of_share",
        "#define DEFINE_LOG1P_OF_SHARE(T) __attribute__((always_inline)) T log1p_of_share_##T(T x) { \\
  T p = fma((T)(-3.31846e-3f), x, (T)(2.020452348e-2f)); \\
  p = fma(p, x, (T)(-5.766431806e-2f)); \\
  p = fma(p, x, (T)(1.068054144e-1f)); \\
  p = fma(p, x, (T)(-1.535538707e-1f)); \\
  p = fma(p, x, (T)(1.969539694e-1f)); \\
  p = fma(p, x, (T)(-2.495858663e-1f)); \\
  p = fma(p, x, (T)(3.333051123e-1f)); \\
  p = fma(p, x, (T)(-4.999993276e-1f)); \\
  return fma(p, x * x, x); }
DEFINE_LOG1P_OF_SHARE(float4)
DEFINE_LOG1P_OF_SHARE(float8)
DEFINE_LOG1P_OF_SHARE(float16)
",
    ),
    // The share of a normal distribution below a number: one half and an odd rational function with a relative error of 2e-8, which
    // passes one half where it rounds to it.
    (
        "phi",
        "#define DEFINE_PHI(T) __attribute__((always_inline)) T phi_##T(T x) { \\
  T s = x * x; \\
  s = s < 33.62f ? s : (T)(33.62f); \\
  T p = fma((T)(2.260674640e-8f), s, (T)(6.291565735e-6f)); \\
  p = fma(p, s, (T)(1.665639132e-4f)); \\
  p = fma(p, s, (T)(4.663181978e-3f)); \\
  p = fma(p, s, (T)(3.367846927e-2f)); \\
  p = fma(p, s, (T)(3.989422592e-1f)); \\
  T q = fma((T)(1.188830993e-6f), s, (T)(7.268163606e-5f)); \\
  q = fma(q, s, (T)(1.871989691e-3f)); \\
  q = fma(q, s, (T)(2.853725665e-2f)); \\
  q = fma(q, s, (T)(2.510857880e-1f)); \\
  q = fma(q, s, (T)(1.0f)); \\
  p = x * p / q + 0.5f; \\
  p = p > 1.0f ? (T)(1.0f) : p; \\
  return p < 0.0f ? (T)(0.0f) : p; }
DEFINE_PHI(float)
DEFINE_PHI(float4)
DEFINE_PHI(float8)
DEFINE_PHI(float16)
",
    ),
    // Exponentials with relative errors of 2^-16, for what is kept in eight bits: `2^n` times a polynomial, with `n` rounded down, so that `2^n` is
    // zero or infinite where results are.
    (
        "coarse_exp",
        "#define DEFINE_COARSE_EXP(T, I) __attribute__((always_inline)) T coarse_exp_##T(T x) { \\
  T y = fma(x, (T)(1.44269504f), (T)(-0.5f)); \\
  y = y > 128.0f ? (T)(128.0f) : y; \\
  y = y < -127.0f ? (T)(-127.0f) : y; \\
  const T t = y + 12582912.0f; \\
  const T r = y - (t - 12582912.0f); \\
  T p = fma((T)(1.35341679e-2f), r, (T)(7.90797964e-2f)); \\
  p = fma(p, r, (T)(3.39761200e-1f)); \\
  p = fma(p, r, (T)(9.80222271e-1f)); \\
  p = fma(p, r, (T)(1.41421252f)); \\
  return p * as_##T((as_##I(t) << 23) + 0x3f800000); }
DEFINE_COARSE_EXP(float4, int4)
DEFINE_COARSE_EXP(float8, int8)
DEFINE_COARSE_EXP(float16, int16)
",
    ),
    // The same for logarithms of one more than a number from zero to one, with relative errors of 2^-14.
    (
        "coarse_log1p_of_share",
        "#define DEFINE_COARSE_LOG1P_OF_SHARE(T) __attribute__((always_inline)) T coarse_log1p_of_share_##T(T x) { \\
  T p = fma((T)(4.13401004e-2f), x, (T)(-1.574109441e-1f)); \\
  p = fma(p, x, (T)(3.062886723e-1f)); \\
  p = fma(p, x, (T)(-4.969743764e-1f)); \\
  return x * fma(p, x, (T)(9.999430178e-1f)); }
DEFINE_COARSE_LOG1P_OF_SHARE(float4)
DEFINE_COARSE_LOG1P_OF_SHARE(float8)
DEFINE_COARSE_LOG1P_OF_SHARE(float16)
",
    ),
    // The same for shares of a normal distribution. That below a negative number is the inverse of the 32nd power of a polynomial, with a relative
    // error of 2^-13.4; 4.5 deviations from the mean and more, where it is less than 2^-18, with an absolute one of 2^-29.
    (
        "coarse_phi",
        "#ifdef ESTIMATE_OF_14_BITS
#define ESTIMATED_INVERSE native_recip
#else
#define ESTIMATED_INVERSE 1.0f /
#endif
#define DEFINE_COARSE_PHI(T, INVERSE) __attribute__((always_inline)) T coarse_phi_##T(T x) { \\
  const T a = fabs(x); \\
  T q = fma((T)(2.04783912e-5f), a, (T)(-8.48005515e-5f)); \\
  q = fma(q, a, (T)(1.43462826e-3f)); \\
  q = fma(q, a, (T)(1.04603402e-2f)); \\
  q = fma(q, a, (T)(2.54919640e-2f)); \\
  q = fma(q, a, (T)(1.02189608f)); \\
  q *= q; \\
  q *= q; \\
  q *= q; \\
  q *= q; \\
  q *= q; \\
  const T below = INVERSE(q); \\
  return x < 0.0f ? below : 1.0f - below; }
DEFINE_COARSE_PHI(float4, 1.0f /)
DEFINE_COARSE_PHI(float8, 1.0f /)
DEFINE_COARSE_PHI(float16, ESTIMATED_INVERSE)
",
    ),
    // Powers of e of numbers up to zero, as above but with fewer steps: relative errors are 2e-7 where results are not tiny. A
    // NaN stays one, since the power of two is a factor.
    (
        "exp_down",
        "#define DEFINE_EXP_DOWN(T, I) __attribute__((always_inline)) T exp_down_##T(T x) { \\
  const T t = fma(x, (T)(1.44269504f), (T)(12582912.0f)); \\
  const T r = fma(t - 12582912.0f, (T)(-0.693147182f), x); \\
  T p = fma((T)(8.290272e-3f), r, (T)(4.189816e-2f)); \\
  p = fma(p, r, (T)(1.6667639e-1f)); \\
  p = fma(p, r, (T)(4.9999148e-1f)); \\
  p = fma(p, r, (T)(0.9999997f)); \\
  p = fma(p, r, (T)(1.0f)); \\
  p *= as_##T((as_##I(t) << 23) + 0x3f800000); \\
  return x < -87.33654f ? (T)(0.0f) : p; }
DEFINE_EXP_DOWN(float4, int4)
DEFINE_EXP_DOWN(float8, int8)
DEFINE_EXP_DOWN(float16, int16)
",
    ),
    // An odd rational function with a relative error of 2e-8, which passes one where it rounds to it.
    (
        "tanh",
        "#define DEFINE_TANH(T) __attribute__((always_inline)) T tanh_##T(T x) { \\
  x = x > 9.7f ? (T)(9.7f) : x; \\
  x = x < -9.7f ? (T)(-9.7f) : x; \\
  T s = x * x; \\
  T p = fma((T)(1.332424748e-8f), s, (T)(2.058785867e-5f)); \\
  p = fma(p, s, (T)(3.494329518e-3f)); \\
  p = fma(p, s, (T)(1.337997615e-1f)); \\
  p = fma(p, s, (T)(1.0f)); \\
  T q = fma((T)(7.764325574e-7f), s, (T)(3.283554688e-4f)); \\
  q = fma(q, s, (T)(2.587222680e-2f)); \\
  q = fma(q, s, (T)(4.671329260e-1f)); \\
  q = fma(q, s, (T)(1.0f)); \\
  p = x * p / q; \\
  p = p > 1.0f ? (T)(1.0f) : p; \\
  return p < -1.0f ? (T)(-1.0f) : p; }
DEFINE_TANH(float4)
DEFINE_TANH(float8)
DEFINE_TANH(float16)
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
                && used.iter().any(|n| matches!(*n, "rsqrt" | "rroot4" | "coarse_phi" | "coarse_sqrt")))
            || (name == "to_small" && used.iter().any(|n| matches!(*n, "to_e5m2" | "to_e4m3" | "to_e2m1" | "to_e3m0")))
    };
    FUNCTIONS.iter().filter(|(name, _)| wanted(name)).map(|(_, text)| *text).collect()
}

//! Functions of vectors of floats that generated text may call, in an order in which each uses only earlier ones.
//!
//! Those that are coarse are for results of which no more than eight bits are kept.

/// Functions by name.
pub(super) const FUNCTIONS: &[(&str, &str)] = &[
    // Where estimates of inverses and of inverse roots are instructions, which for sixteen numbers are exact to 14 bits.
    (
        "estimates",
        "#ifdef __has_attribute
#if __has_attribute(intel_vec_len_hint)
#define ESTIMATE_OF_14_BITS
#endif
#endif
#ifdef ESTIMATE_OF_14_BITS
#define ESTIMATED_INVERSE native_recip
#else
#define ESTIMATED_INVERSE 1.0f /
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
    // Exponentials with relative errors of 2^-17, for what is kept in eight bits: `2^n` times a polynomial, with `n` rounded down, so that `2^n` is
    // zero or infinite where results are. Of all polynomials that are about as exact this is one whose powers of
    // numbers of bf16 round as exact ones do, whichever way a number halfway between two is rounded.
    (
        "coarse_exp",
        "#define DEFINE_COARSE_EXP(T, I) __attribute__((always_inline)) T coarse_exp_##T(T x) { \\
  T y = fma(x, (T)(1.44269504f), (T)(-0.5f)); \\
  y = y > 128.0f ? (T)(128.0f) : y; \\
  y = y < -127.0f ? (T)(-127.0f) : y; \\
  const T t = y + 12582912.0f; \\
  const T r = y - (t - 12582912.0f); \\
  T p = fma((T)(1.35545116e-2f), r, (T)(7.90076777e-2f)); \\
  p = fma(p, r, (T)(3.39762837e-1f)); \\
  p = fma(p, r, (T)(9.80240822e-1f)); \\
  p = fma(p, r, (T)(1.41421366f)); \\
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
    // The same for exponentials less one, of numbers up to zero only: `q (q + 2)`, where `q` is that of half the number, a polynomial without a
    // constant. Where numbers are so small that minus one is as near, relative errors are those of that.
    (
        "coarse_expm1_down",
        "#define DEFINE_COARSE_EXPM1_DOWN(T) __attribute__((always_inline)) T coarse_expm1_down_##T(T x) { \\
  const T y = x < -9.7f ? (T)(-9.7f) : x; \\
  T q = fma((T)(2.04265910e-7f), y, (T)(9.29651958e-6f)); \\
  q = fma(q, y, (T)(1.90504725e-4f)); \\
  q = fma(q, y, (T)(2.37888915e-3f)); \\
  q = fma(q, y, (T)(2.04616010e-2f)); \\
  q = fma(q, y, (T)(1.24753802e-1f)); \\
  q = y * fma(q, y, (T)(4.99970797e-1f)); \\
  return q * (q + 2.0f); }
DEFINE_COARSE_EXPM1_DOWN(float4)
DEFINE_COARSE_EXPM1_DOWN(float8)
DEFINE_COARSE_EXPM1_DOWN(float16)
",
    ),
    // The same for shares of a normal distribution. That below a negative number is the inverse of the 32nd power of a polynomial, with a relative
    // error of 2^-13.4; 4.5 deviations from the mean and more, where it is less than 2^-18, with an absolute one of 2^-29.
    (
        "coarse_phi",
        "#define DEFINE_COARSE_PHI(T, INVERSE) __attribute__((always_inline)) T coarse_phi_##T(T x) { \\
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
    // The same for slopes of a number times that share, which cross zero at -0.75: next to it they are as exact as elsewhere, since the distance to it
    // is a factor. Another one is the inverse of the 32nd power of a polynomial, with a relative error of 2^-13.4; five deviations from the mean and
    // more, where it is less than 2^-19, with an absolute one of 2^-30.
    (
        "coarse_slope",
        "#define DEFINE_COARSE_SLOPE(T, INVERSE) __attribute__((always_inline)) T coarse_slope_##T(T x) { \\
  const T a = fabs(x); \\
  T q = fma((T)(1.96008854e-5f), a, (T)(-7.06416476e-5f)); \\
  q = fma(q, a, (T)(1.03982910e-3f)); \\
  q = fma(q, a, (T)(1.25378468e-2f)); \\
  q = fma(q, a, (T)(8.34835550e-3f)); \\
  q = fma(q, a, (T)(1.01282966f)); \\
  q *= q; \\
  q *= q; \\
  q *= q; \\
  q *= q; \\
  q *= q; \\
  const T below = (0.751791525f - a) * (INVERSE(q)); \\
  return x < 0.0f ? below : 1.0f - below; }
DEFINE_COARSE_SLOPE(float4, 1.0f /)
DEFINE_COARSE_SLOPE(float8, 1.0f /)
DEFINE_COARSE_SLOPE(float16, ESTIMATED_INVERSE)
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
];
